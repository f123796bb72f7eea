// The orders of a run: the cut is dragged, and the formula turns.
import { accessible, check, holds, settled, tell } from '../browser.mjs';

export default async function orders({ open, picture }) {
  const { page, close } = await open('lock', '#orders/race.pot.json');
  await page.locator('.space-time .handle').first().waitFor();
  await page.getByLabel('Formula', { exact: true }).fill('mutex(alice.writes, bob.writes)');
  await page.locator('.tree .node').first().waitFor();
  await settled(page);
  const whole = () => page.locator('.tree .node').first().locator('.badge').innerText();
  holds((await whole()).includes('false'), 'at the beginning, both may write at once');
  await picture(page, 'orders');
  await accessible(page, 'orders');

  // Drag the cut of alice to the end of her events.
  const handle = page.getByRole('slider', { name: 'Cut of alice' });
  const from = await handle.boundingBox();
  const last = await page.locator('.space-time .dot').nth(2).boundingBox();
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + from.width / 2, last.y + last.height + 12, { steps: 8 });
  await page.mouse.up();
  check(await handle.getAttribute('aria-valuenow'), '3', 'the cut is after her third event');
  await page.locator('.tree .node').first().locator('.v-Pass').waitFor();
  holds((await whole()).includes('true'), 'then nobody can be in her way');
  tell(`the formula turned: ${(await page.locator('.tree').first().innerText()).replace(/\s+/g, ' ').slice(0, 160)}`);
  await picture(page, 'orders-dragged');

  // By keyboard: back, in the diagram and in the lattice.
  await handle.focus();
  await page.keyboard.press('Home');
  await page.locator('.tree .node').first().locator('.v-Fail').waitFor();
  await page.locator('.lattice .dot.current').focus();
  await page.keyboard.press('ArrowDown');
  await settled(page);
  check(await page.locator('.lattice .dot.current').evaluate((dot) => dot === document.activeElement), true, 'the focus moves with the cut');

  // A click on another cut, and a subformula on the lattice.
  await page.locator('.lattice .dot').last().click();
  await settled(page);
  await page.getByLabel('Formula', { exact: true }).fill('AG(bob.waits -> AF bob.writes)');
  await page.locator('.tree .node').nth(3).waitFor();
  await page.locator('.lattice .dot').nth(7).click();
  await settled(page);
  await page.locator('.tree .where').last().click();
  await settled(page);
  await picture(page, 'orders-subformula');
  await close();
}
