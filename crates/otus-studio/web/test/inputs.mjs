// The folders that the browser tests open: copies of examples, and inputs that are large or slow.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function prepare(root, work, otus) {
  const folder = (name) => {
    const path = join(work, 'folders', name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    return path;
  };
  const write = (path, text) => writeFileSync(path, text);

  const shop = folder('shop');
  cpSync(join(root, 'examples/otel-shop/checkout.mmd'), join(shop, 'checkout.mmd'));
  cpSync(join(root, 'examples/otel-shop/otus.toml'), join(shop, 'otus.toml'));
  cpSync(join(root, 'examples/otel-shop/logs'), join(shop, 'logs'), { recursive: true });

  // Raw logs without rules, and the diagram of the tutorial for devices.
  const mqtt = folder('mqtt');
  cpSync(join(root, 'examples/mqtt/logs/broken'), join(mqtt, 'logs'), { recursive: true });
  write(join(mqtt, 'qos2.puml'), QOS2);

  const lock = folder('lock');
  cpSync(join(root, 'examples/lock'), lock, { recursive: true });

  many(folder('many'), write);
  slow(folder('slow'), write, otus);
  folder('empty');
  return (name) => join(work, 'folders', name);
}

const QOS2 = `@startuml
participant publisher
participant broker
participant subscriber
subscriber -> broker : CONNECT
broker --> subscriber : CONNACK
subscriber -> broker : SUBSCRIBE
broker --> subscriber : SUBACK
publisher -> broker : CONNECT
broker --> publisher : CONNACK
group coreg(broker)
  group loopP
    publisher -> broker : PUBLISH
    broker --> publisher : PUBREC
    publisher -> broker : PUBREL
    par
      broker --> publisher : PUBCOMP
    else
      broker -> subscriber : PUBLISH
      subscriber --> broker : PUBREC
      broker -> subscriber : PUBREL
      subscriber --> broker : PUBCOMP
    end
  end
  publisher -> broker : DISCONNECT
  subscriber -> broker : DISCONNECT
end
@enduml
`;

/** A diagram of 500 lines, and 1,000 runs of 50 events; in one of ten, two events are swapped. */
function many(path, write) {
  const names = ['client', 'gate', 'shop', 'stock', 'bank'];
  const blocks = Array.from({ length: 70 }, (_, block) => Array.from({ length: 5 }, (_, step) => {
    const from = (block + step) % names.length;
    return [names[from], names[(from + 1 + (block % 3)) % names.length], `m${block}_${step}`];
  }));
  write(join(path, 'large.mmd'), ['sequenceDiagram', ...names.map((name) => `  participant ${name}`),
    ...blocks.flatMap((messages) => ['  opt', ...messages.map(([from, to, message]) => `    ${from}->>${to}: ${message}`), '  end']), ''].join('\n'));
  const cases = Array.from({ length: 1000 }, (_, run) => {
    const logs = new Map(names.map((name) => [name, []]));
    // Five blocks in the order of the diagram.
    const chosen = Array.from({ length: 5 }, (_, at) => at * 14 + ((run * 7 + at * 5) % 14));
    for (const block of chosen) {
      for (const [from, to, message] of blocks[block]) {
        logs.get(from).push(`${from}!${message}`);
        logs.get(to).push(`${to}?${message}`);
      }
    }
    if (run % 10 === 3) {
      const log = logs.get(names[run % names.length]);
      const at = (run >> 3) % (log.length - 1);
      [log[at], log[at + 1]] = [log[at + 1], log[at]];
    }
    const text = [...logs].map(([name, actions]) => `[${name}] ${actions.join('.')}`).join('; ');
    return JSON.stringify({ id: `run-${run}`, htf: `{${text}}` });
  });
  write(join(path, 'runs.jsonl'), `${cases.join('\n')}\n`);
}

/** A question that takes a minute: twelve times, whether eleven pigeons fit into ten holes. Each is given up after ten seconds. */
function slow(path, write, otus) {
  const [pigeons, holes] = [11, 10];
  const variable = (pigeon, hole) => pigeon * holes + hole + 1;
  const clauses = Array.from({ length: pigeons }, (_, pigeon) => Array.from({ length: holes }, (_, hole) => variable(pigeon, hole)));
  for (let hole = 0; hole < holes; hole += 1) {
    for (let a = 0; a < pigeons; a += 1) for (let b = a + 1; b < pigeons; b += 1) clauses.push([-variable(a, hole), -variable(b, hole)]);
  }
  write(join(path, 'holes.cnf'), [`p cnf ${pigeons * holes} ${clauses.length}`, ...clauses.map((clause) => `${clause.join(' ')} 0`), ''].join('\n'));
  execFileSync(otus, ['convert', 'holes.cnf', 'holes.hif'], { cwd: path, stdio: 'pipe' });
  const htf = readFileSync(join(path, 'holes.htf'), 'utf8').replace(/\s+/g, ' ').trim();
  write(join(path, 'holes.jsonl'), Array.from({ length: 12 }, (_, at) => `${JSON.stringify({ id: `holes-${at + 1}`, htf })}\n`).join(''));
  rmSync(join(path, 'holes.htf'));
}
