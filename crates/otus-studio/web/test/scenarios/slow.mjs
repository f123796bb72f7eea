// A question that takes a minute: the page answers meanwhile, and the question can be stopped.
import { holds, tell, text } from '../browser.mjs';

export default async function slow({ open, picture }) {
  const { page, close } = await open('slow');
  await page.locator('.verdicts').waitFor();
  await page.locator('.status .busy').waitFor();
  // The longest pause between two frames, while the page is used.
  await page.evaluate(() => {
    globalThis.pause = 0;
    let last = performance.now();
    const frame = (now) => {
      globalThis.pause = Math.max(globalThis.pause, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const times = [];
  const pauses = [];
  for (const name of ['Mapping', 'Runs', 'Orders', 'Specification']) {
    const from = Date.now();
    await page.getByRole('link', { name }).click();
    await page.locator(`.screen:not([hidden])[data-screen="${name.toLowerCase()}"]`).waitFor();
    times.push(Date.now() - from);
    pauses.push(`${name} ${Math.round(await page.evaluate(() => { const pause = globalThis.pause; globalThis.pause = 0; return pause; }))} ms`);
  }
  // Another question is answered while the slow one runs: the picture of a changed text.
  const from = Date.now();
  await page.locator('.cm-content').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('// a comment\n');
  await page.waitForTimeout(200);
  times.push(Date.now() - from);
  await page.waitForTimeout(3000);
  pauses.push(`typing ${Math.round(await page.evaluate(() => globalThis.pause))} ms`);
  holds(await page.locator('.screen:not([hidden]) .status .busy').isVisible(), 'the question is still under way');
  tell(`during a question of a minute: actions within ${Math.max(...times)} ms, longest pauses between two frames: ${pauses.join(', ')}`);
  await picture(page, 'slow');
  const stop = page.locator('.screen:not([hidden])').getByRole('button', { name: 'Stop' });
  await stop.click();
  await page.locator('.screen:not([hidden]) .status .busy').waitFor({ state: 'detached' });
  holds((await text(page, '.screen:not([hidden]) .verdicts')).includes('stopped'), 'the question was stopped');
  await close();
}
