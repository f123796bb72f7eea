// A mapping for the raw logs of an MQTT broker and its clients, made by clicks alone, then a verdict.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, check, holds, settled, tell, text } from '../browser.mjs';

export default async function mapping({ open, picture, folder }) {
  const { page, close } = await open('mqtt', '#mapping');
  const screen = page.locator('.screen:not([hidden])');
  const line = (part) => screen.locator('.log-line', { hasText: part }).first();
  const token = (word, at = 0) => page.locator('.tokens .token', { hasText: new RegExp(`^${word}$`) }).nth(at);
  const role = (name) => page.locator('.roles').getByRole('button', { name, exact: true });
  const constant = (name, value) => page.locator(`select[data-constant="${name}"]`).selectOption(value);
  const mark = async (word, name, at = 0) => {
    await token(word, at).click();
    await role(name).click();
  };
  const add = async () => {
    const button = page.getByRole('button', { name: 'Add the rule' });
    await button.and(page.locator(':not(:disabled)')).waitFor();
    await button.click();
    await button.waitFor({ state: 'detached' });
    await settled(page);
  };
  const log = async (name) => {
    await page.getByRole('combobox', { name: 'Log', exact: true }).selectOption(name);
    await settled(page);
  };

  await log('logs/broker.log');
  await line('Sending CONNACK').waitFor();
  await picture(page, 'mapping-raw');

  // The broker: direction and packet are guessed; the peer is marked, the lifeline is chosen.
  await line('Sending CONNACK to thermo-sub').click();
  await mark('sub', 'Peer');
  await constant('lifeline', 'broker');
  await settled(page);
  await picture(page, 'mapping-rule');
  await accessible(page, 'mapping');
  await add();
  holds((await line('Received PUBREL').innerText()).includes('broker?PUBREL'), 'other packets are taken too');

  // CONNECT is not logged by the broker, but a line that follows from it is.
  await line('New client connected').click();
  await mark('sub', 'Peer');
  await constant('lifeline', 'broker');
  await constant('message', 'CONNECT');
  await constant('direction', '?');
  await add();

  // What remains is ignored: one click chooses the line, one says so.
  const ignoreTheRest = async () => {
    const only = page.getByLabel('only those that no rule takes');
    await only.check();
    for (let more = 0; more < 20 && await screen.locator('.log-line').count() > 0; more += 1) {
      await screen.locator('.log-line').first().click();
      await page.getByLabel('Ignore lines like this').check();
      await settled(page);
      await add();
    }
    check(await screen.locator('.log-line').count(), 0, 'every line of the log is accounted for');
    await only.uncheck();
  };
  await ignoreTheRest();
  await picture(page, 'mapping-broker');

  // The clients: who acts is in the line, the peer is always the broker.
  await log('logs/thermo-pub.log');
  await line('sending CONNECT').click();
  await mark('pub', 'Lifeline');
  await constant('peer', 'broker');
  await add();
  await log('logs/thermo-sub.log');
  if (await screen.locator('.log-line.o-unmatched', { hasText: 'sending CONNECT' }).count() > 0) {
    await line('sending CONNECT').click();
    await mark('sub', 'Lifeline');
    await constant('peer', 'broker');
    await add();
  }
  for (const name of ['logs/thermo-pub.log', 'logs/thermo-sub.log']) {
    await log(name);
    await ignoreTheRest();
  }

  // The names of the logs are those of the diagram.
  await page.getByRole('tab', { name: /^Names/ }).click();
  await page.locator('[role="tabpanel"]:visible label', { hasText: /^pub is/ }).locator('select').selectOption('publisher');
  await page.locator('[role="tabpanel"]:visible label', { hasText: /^sub is/ }).locator('select').selectOption('subscriber');
  await picture(page, 'mapping-names');
  await page.getByRole('button', { name: 'Use these names' }).click();
  await page.locator('[role="tabpanel"]:visible .notice.done').waitFor();
  await page.getByRole('tab', { name: 'Account' }).click();
  await settled(page);
  await picture(page, 'mapping-account');
  await accessible(page, 'account');
  holds((await text(page, '[role="tabpanel"]:visible')).includes('0 unmatched'), 'every line of every log is accounted for');

  const verdict = screen.locator('.verdict-row').first();
  await verdict.locator('.v-Fail').waitFor();
  const row = await verdict.innerText();
  holds(row.includes('PUBREL') || row.includes('PUBCOMP'), `the verdict: ${row}`);
  tell(`the verdict after clicks alone: ${row.replace(/\s+/g, ' ')}`);
  await page.locator('#save').click();
  await page.locator('#save').waitFor({ state: 'hidden' });
  holds(readFileSync(join(folder('mqtt'), 'otus.toml'), 'utf8').includes('[[source.rule]]'), 'otus.toml is written');
  await close();
}
