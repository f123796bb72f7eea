// The table and the panels of a report, made from the data in the page.
//
// The script makes elements and text, so that nothing in a log becomes markup. The only markup that it parses is the SVG of
// a picture, in which Otus has escaped every text. The address names the group that is open (#case=ID), so that it can
// be linked to and the back button works.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const PAGE = 100; // groups on a page of the table
  const PRINTED = 500; // groups in print
  const VERDICTS = ['Fail', 'WeakFail', 'Inconclusive', 'WeakPass', 'Pass'];
  const GLYPHS = { Fail: '✗', WeakFail: '✗', Inconclusive: '?', WeakPass: '~', Pass: '✓' };

  const find = (id) => document.getElementById(id);
  const count = (number) => number.toLocaleString('en');
  const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

  // Characters that are invisible or change the direction of text are shown by their numbers.
  const visible = (text) => String(text)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

  // Names that are written from right to left, so that they turn nothing around them.
  const isolated = (text) => String(text).split(/([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+)/)
    .map((part, at) => (at % 2 === 0 ? part : h('bdi', {}, part)));

  // An element; children that are text become text.
  const make = (space) => (tag, attributes, ...children) => {
    const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? '' : value);
    }
    for (const child of children.flat()) {
      if (child instanceof Node) element.append(child);
      else if (child !== null && child !== undefined && child !== '') element.append(visible(child));
    }
    return element;
  };
  const h = make(null);
  const s = make('http://www.w3.org/2000/svg');

  const say = (text) => { find('said').textContent = visible(text); };
  const badge = (verdict) => h('span', { class: `badge v-${verdict}` },
    h('span', { 'aria-hidden': 'true' }, `${GLYPHS[verdict]} `), verdict);

  // ---- Theme ----

  function theme() {
    const button = find('theme');
    const choices = ['automatic', 'light', 'dark'];
    // A page from a file may have no storage.
    const stored = (value) => {
      try {
        if (value === undefined) return localStorage.getItem('otus-theme');
        localStorage.setItem('otus-theme', value);
      } catch { /* It is chosen anew next time. */ }
      return null;
    };
    const apply = (choice) => {
      if (choice === 'automatic') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = choice;
      button.textContent = `Theme: ${choice}`;
    };
    let choice = choices.includes(stored()) ? stored() : 'automatic';
    apply(choice);
    button.hidden = false;
    button.addEventListener('click', () => {
      choice = choices[(choices.indexOf(choice) + 1) % choices.length];
      stored(choice);
      apply(choice);
    });
  }

  // ---- The table of groups ----

  const table = (() => {
    const cases = data.cases;
    const all = cases.map((_, index) => index);
    const words = cases.map((c) =>
      [c.id, c.verdict, c.headline, c.cause, c.log, c.specification].join('\n').toLowerCase());
    const present = VERDICTS.filter((verdict) => cases.some((c) => c.verdict === verdict));
    const causes = [...new Set(cases.map((c) => c.cause).filter(Boolean))].sort();
    const state = { verdicts: new Set(present), text: '', cause: '', key: 'verdict', down: false, page: 0 };
    let shown = all;
    let printing = false;

    const columns = [
      { key: 'verdict', name: 'Verdict', of: (c) => VERDICTS.indexOf(c.verdict) },
      { key: 'id', name: 'Group', of: (c) => c.id },
      { key: 'headline', name: 'What is wrong', of: (c) => c.headline ?? '' },
      { key: 'cause', name: 'Cause', of: (c) => c.cause ?? '' },
      { key: 'specification', name: 'Specification', of: (c) => c.specification ?? '' },
      { key: 'log', name: 'Log', of: (c) => c.log ?? '' },
      { key: 'events', name: 'Events', of: (c) => c.events, class: 'number' },
    ].filter(({ key, of }) => !['cause', 'specification', 'log'].includes(key) || cases.some((c) => of(c) !== ''));

    const collator = new Intl.Collator('en', { numeric: true });
    const compare = (a, b) => (typeof a === 'number' ? a - b : collator.compare(a, b));
    // Empty cells come last in either direction.
    const silent = (a, b) => (a === '') - (b === '');

    const body = h('tbody');
    const heads = columns.map((column) => {
      const button = h('button', { type: 'button', onclick: () => sort(column.key) }, column.name,
        h('span', { 'aria-hidden': 'true' }));
      // Browsers do not repeat buttons at the top of each sheet.
      return h('th', { scope: 'col', class: column.class }, button, h('span', { class: 'paper' }, column.name));
    });
    const status = h('p', { class: 'quiet', role: 'status' });
    const back = h('button', { type: 'button', onclick: () => turn(-1) }, 'Previous page');
    const forth = h('button', { type: 'button', onclick: () => turn(1) }, 'Next page');
    const search = h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false', oninput: () => {
      state.text = search.value;
      apply();
    } });
    const select = h('select', { onchange: () => { state.cause = select.value; apply(); } },
      h('option', { value: '' }, 'any'), causes.map((cause) => h('option', { value: cause }, cause)));

    function chip(verdict) {
      const number = cases.filter((c) => c.verdict === verdict).length;
      const box = h('input', { type: 'checkbox', onchange: () => {
        if (box.checked) state.verdicts.add(verdict);
        else state.verdicts.delete(verdict);
        apply();
      } });
      box.checked = true;
      return h('label', { class: `v-${verdict}` }, box, `${verdict} (${count(number)})`);
    }

    function sort(key) {
      if (state.key === key) state.down = !state.down;
      else Object.assign(state, { key, down: false });
      apply();
    }

    function turn(by) {
      state.page += by;
      draw();
      find('groups').scrollIntoView({ block: 'start' });
      // A button that can no longer be pressed loses the keyboard.
      if (back.disabled) forth.focus();
      else if (forth.disabled) back.focus();
    }

    function apply() {
      const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean);
      shown = all.filter((index) => {
        const c = cases[index];
        return state.verdicts.has(c.verdict) && (state.cause === '' || c.cause === state.cause)
          && wanted.every((word) => words[index].includes(word));
      });
      const { of } = columns.find(({ key }) => key === state.key);
      const sign = state.down ? -1 : 1;
      const keys = cases.map(of);
      shown.sort((a, b) => silent(keys[a], keys[b]) || sign * compare(keys[a], keys[b]) || a - b);
      state.page = 0;
      draw();
    }

    function draw() {
      const first = printing ? 0 : state.page * PAGE;
      const rows = shown.slice(first, first + (printing ? PRINTED : PAGE));
      body.replaceChildren(...rows.map((index) => line(index)));
      if (rows.length === 0) {
        const why = cases.length === 0 ? 'There are no groups.' : 'No group is like this.';
        body.append(h('tr', {}, h('td', { colspan: columns.length }, why)));
      }
      columns.forEach(({ key }, at) => {
        const sorted = state.key === key;
        heads[at].setAttribute('aria-sort', sorted ? (state.down ? 'descending' : 'ascending') : 'none');
        heads[at].querySelector('button span').textContent = sorted ? (state.down ? ' ▼' : ' ▲') : '';
      });
      const range = rows.length === shown.length ? '' : `${count(first + 1)} to ${count(first + rows.length)} of `;
      const listed = shown.length === cases.length ? '' : ` of ${count(cases.length)}`;
      const more = data.checked > cases.length ? ` ${count(data.checked)} were checked.` : '';
      status.textContent = `Groups shown: ${range}${count(shown.length)}${listed}.${more}`;
      back.disabled = state.page === 0;
      forth.disabled = first + rows.length >= shown.length;
      back.hidden = forth.hidden = shown.length <= PAGE;
    }

    function line(index) {
      const c = cases[index];
      const cells = {
        verdict: () => h('td', { class: 'verdict' }, badge(c.verdict)),
        id: () => h('th', { scope: 'row' },
          c.detail ? h('a', { href: address(index), 'data-case': index }, h('bdi', {}, c.id)) : h('bdi', {}, c.id),
          c.known ? h('span', { class: 'tag' }, 'known') : ''),
        headline: () => h('td', { class: 'why' }, isolated(c.headline ?? '')),
        cause: () => h('td', { class: 'cause' }, c.cause),
        specification: () => h('td', { class: 'file' }, h('bdi', {}, c.specification)),
        log: () => h('td', { class: 'file' }, h('bdi', {}, c.log)),
        events: () => h('td', { class: 'number' }, count(c.events)),
      };
      const row = h('tr', {}, columns.map(({ key }) => cells[key]()));
      if (c.detail) {
        row.className = 'open';
        row.addEventListener('click', (event) => {
          if (!event.target.closest('a') && String(getSelection()) === '') location.hash = address(index);
        });
      }
      return row;
    }

    function build() {
      const tools = h('div', { class: 'tools', role: 'search' },
        h('label', { class: 'field' }, 'Search', search),
        present.length > 1 ? h('fieldset', {}, h('legend', {}, 'Verdicts'), h('div', { class: 'chips' }, present.map(chip))) : '',
        causes.length > 1 ? h('label', { class: 'field' }, 'Cause', select) : '');
      find('groups').append(h('section', { class: 'groups', 'aria-labelledby': 'groups-title' },
        h('h2', { id: 'groups-title' }, 'Groups'), cases.length > 1 ? tools : '',
        h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of groups' },
          h('table', {}, h('caption', { class: 'unseen' }, 'Groups with their verdicts'), h('thead', {}, h('tr', {}, heads)), body)),
        h('div', { class: 'pager' }, status, back, forth)));
      apply();
    }

    return {
      build,
      // The groups with a panel, as they are listed now.
      listed: () => shown.filter((index) => cases[index].detail),
      focus: (index) => {
        const at = shown.indexOf(index);
        if (at >= 0) {
          state.page = Math.floor(at / PAGE);
          draw();
        }
        (body.querySelector(`[data-case="${index}"]`) ?? find('groups').querySelector('input, button')).focus();
      },
      print: (on) => { printing = on; draw(); },
    };
  })();

  // ---- Coverage ----

  function coverage() {
    for (const { specification, parts } of data.coverage) {
      const kinds = [...new Set(parts.map((part) => part.kind))];
      const bars = kinds.map((kind) => {
        const own = parts.filter((part) => part.kind === kind);
        const seen = own.filter((part) => part.times > 0).length;
        return h('li', {}, h('span', { class: 'name' }, kind),
          h('span', { class: 'track', 'aria-hidden': 'true' }, h('span', { style: `width:${100 * seen / own.length}%` })),
          h('span', { class: 'number' }, `${count(seen)} of ${count(own.length)}`),
          h('span', { class: 'share' }, `${Math.floor(100 * seen / own.length)}%`));
      });
      const LISTED = 1000;
      const sorted = [...parts].sort((a, b) => (a.times > 0) - (b.times > 0)).slice(0, LISTED);
      const never = parts.filter((part) => part.times === 0).length;
      const row = (part) => h('tr', { class: part.times === 0 ? 'never' : undefined },
        h('td', {}, part.kind), h('td', {}, h('bdi', {}, part.label)), h('td', { class: 'file' }, h('bdi', {}, part.place)),
        h('td', { class: 'number' }, part.times === 0 ? 'never' : count(part.times)));
      find('coverage').append(h('section', { class: 'coverage' },
        h('h2', {}, 'Coverage of ', h('bdi', {}, specification)),
        h('div', { class: 'card' }, h('ul', { class: 'bars' }, bars),
          h('details', { open: never > 0 },
            h('summary', {}, never === 0 ? 'Every part was exercised' : `${plural(never, 'part')} never exercised, of ${count(parts.length)}`),
            parts.length > LISTED ? h('p', { class: 'quiet' }, `The first ${count(LISTED)} of ${count(parts.length)} parts are listed.`) : '',
            h('div', { class: 'scroll' }, h('table', {},
              h('thead', {}, h('tr', {}, ['Kind', 'Part', 'Place'].map((name) => h('th', { scope: 'col', class: 'plain' }, name)),
                h('th', { scope: 'col', class: 'plain number' }, 'Groups'))),
              h('tbody', {}, sorted.map(row))))))));
    }
  }

  // ---- A panel ----

  // Names are unique by rights; where they are not, the number tells them apart.
  const indices = new Map();
  data.cases.forEach((c, index) => { if (!indices.has(c.id)) indices.set(c.id, index); });
  const address = (index) => {
    const { id } = data.cases[index];
    return `#case=${encodeURIComponent(id)}${indices.get(id) === index ? '' : `&${index}`}`;
  };
  let open = null; // the group that is open: its index, and the function that prepares its picture for print

  function panel(index) {
    const c = data.cases[index];
    const { ladder, diagram, specification, mermaid } = c.detail;
    const listed = table.listed();
    const at = listed.indexOf(index);
    const other = (by, name) => {
      const to = at < 0 ? undefined : listed[at + by];
      return h('button', { type: 'button', disabled: to === undefined, onclick: () => { location.hash = address(to); } }, name);
    };
    const facts = [c.cause, c.log, c.specification, plural(c.events, 'event'), c.known ? 'known failure' : ''].filter(Boolean);
    const title = h('h2', { tabindex: '-1' }, badge(c.verdict), h('bdi', {}, c.id));
    const shown = h('div', {}, h('p', { class: 'quiet' }, 'Choose an event of the diagram to see its lines here.'));
    const picture = draw(diagram, (event) => shown.replaceChildren(...lines(event, specification)));
    const place = (name, ...children) => h('section', { class: 'card', 'aria-label': name }, h('h3', {}, name), children);
    const side = [
      picture ? place('Event', shown) : '',
      ladder.length > 0 ? place('Explanation', h('ol', { class: 'ladder' },
        ladder.map((rung) => h('li', {}, h('h4', {}, rung.title), h('pre', { tabindex: '0', 'aria-label': rung.title }, isolated(rung.text)))))) : '',
    ];
    const diagramText = mermaid === '' ? '' : copyable(mermaid, c.verdict.endsWith('Fail') ? 'Failing part as Mermaid' : 'As Mermaid');
    open = { index, print: picture?.print };
    find('case').replaceChildren(h('section', { class: 'case', 'aria-label': `Group ${c.id}` },
      h('nav', { 'aria-label': 'Groups' },
        h('button', { type: 'button', onclick: () => { location.hash = ''; } }, '← All groups'),
        other(-1, 'Previous'), other(1, 'Next'),
        at >= 0 && listed.length > 1 ? h('span', { class: 'quiet' }, `${count(at + 1)} of ${count(listed.length)} with details`) : ''),
      title,
      c.headline ? h('p', { class: 'headline' }, isolated(c.headline)) : '',
      h('p', { class: 'quiet' }, facts.flatMap((fact, at) => [at > 0 ? ' · ' : '', h('bdi', {}, fact)])),
      h('div', { class: 'panel' },
        h('div', { class: 'side' },
          picture?.element ?? h('p', { class: 'warning' }, diagram.note || 'There is nothing to draw.'), diagramText),
        h('div', { class: 'side' }, side))));
    picture?.start();
    return title;
  }

  // Log and specification of an event, beside each other.
  function lines(event, specification) {
    const excerpt = (name, { place, first, lines, marked, columns }) => h('figure', { class: 'excerpt' },
      h('figcaption', {}, `${name}: `, h('bdi', { class: 'code' }, place)),
      lines.length === 0 ? '' : h('pre', { tabindex: '0', 'aria-label': name, style: `--digits:${String(first + lines.length).length}` }, lines.map((text, at) => h('span', { class: at === marked ? 'line marked' : 'line' },
        h('span', {}, first + at), h('span', {}, at === marked && columns ? marking(text, columns) : isolated(text || ' '))))));
    const marking = (text, [from, to]) => {
      const letters = Array.from(text);
      const part = (a, b) => letters.slice(a, b).join('');
      return from < to && from < letters.length
        ? [isolated(part(0, from)), h('mark', {}, isolated(part(from, to))), isolated(part(to))].flat() : isolated(text);
    };
    return [
      h('p', {}, h('strong', { class: 'code' }, h('bdi', {}, event.label))),
      h('p', { class: 'quiet' }, `${event.words}${event.culprit ? '; it fails here' : ''}; lifeline `, h('bdi', {}, event.lifeline)),
      event.log ? excerpt('Log', event.log) : h('p', { class: 'quiet excerpt' }, 'No log has it.'),
      event.specification !== undefined ? excerpt('Specification', specification[event.specification])
        : h('p', { class: 'quiet excerpt' }, 'No place of the specification is known for it.'),
    ];
  }

  function copyable(text, name) {
    const block = h('pre', { tabindex: '0', 'aria-label': 'Mermaid' }, text);
    const button = h('button', { type: 'button', onclick: async () => {
      let done = true;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Where scripts may not use the clipboard, a selection can still be copied.
        getSelection().selectAllChildren(block);
        done = document.execCommand('copy');
      }
      button.textContent = done ? 'Copied' : 'Selected: press Ctrl+C';
      say(done ? 'Copied' : 'The text is selected');
      setTimeout(() => { button.textContent = 'Copy'; }, 2500);
    } }, 'Copy');
    return h('section', { class: 'card', 'aria-label': name },
      h('div', { class: 'row' }, h('h3', {}, name), button), block);
  }

  // ---- The picture ----

  const PAPER = 560; // the height of a picture on paper

  // The picture is drawn already, as SVG. The script puts it in place, marks its events, and scrolls to them.
  function draw(diagram, show) {
    const { events, run, steps, core } = diagram;
    if (events.length === 0) return null;
    const parse = (text) => document.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true);
    const whole = parse(diagram.svg);
    const part = core && parse(core.svg);
    const numbers = new Map(events.map((event, at) => [event.id, at]));
    const names = h('div', { class: 'heads', 'aria-hidden': 'true', hidden: true });
    const canvas = h('div', { class: 'canvas', role: 'region', 'aria-label': 'Diagram, can be scrolled', tabindex: '0',
      onkeydown: key, onscroll: () => { names.hidden = canvas.scrollTop <= below; } });
    const only = h('input', { type: 'checkbox', onchange: () => { put(only.checked ? part : whole); reveal(selected); } });
    const last = run.length;
    const range = h('input', { type: 'range', min: 0, max: last, step: 1, id: 'step', oninput: () => stepped(Number(range.value)) });
    const output = h('output', { for: 'step' });
    const buttons = [[-1, '‹', 'One step back'], [1, '›', 'One step on']].map(([by, text, name]) =>
      h('button', { type: 'button', 'aria-label': name, onclick: () => stepped(Math.min(last, Math.max(0, step + by))) }, text));
    let step = last;
    let selected = events.findIndex((event) => event.culprit);
    for (const state of ['offending', 'expected', 'assumed']) {
      if (selected < 0) selected = events.findIndex((event) => event.state === state);
    }
    if (selected < 0) selected = last > 0 ? numbers.get(run[last - 1][0]) : 0;
    let elements = []; // by event: its element, if it is in the picture
    let below = 0; // where the names of the lifelines begin
    const paper = h('p', { class: 'quiet paper' });

    function put(picture) {
      canvas.replaceChildren(names, picture);
      elements = events.map((event) => picture.querySelector(`#case-event-${event.id}`));
      elements.forEach((element, at) => {
        if (!element || element.classList.contains('event')) return;
        const { state, culprit } = events[at];
        element.classList.add('event', state, ...(culprit ? ['culprit'] : []));
        element.setAttribute('role', 'button');
        // The name contains the visible text, so that an event can be called by voice.
        const said = [...element.querySelectorAll('title, text')].map((part) => part.textContent);
        element.setAttribute('aria-label', visible(said.join(' ')));
        element.addEventListener('click', () => select(at));
      });
      const heads = [...picture.querySelectorAll('[data-subject^="lifeline-"]')];
      const { x, width } = picture.viewBox.baseVal;
      const boxes = heads.map((head) => head.getBBox());
      below = Math.min(...boxes.map((box) => box.y));
      const height = Math.max(...boxes.map((box) => box.height));
      const copy = s('svg', { class: 'otus', width, height: height + 8, viewBox: `${x} ${below - 4} ${width} ${height + 8}` },
        heads.map((head) => head.cloneNode(true)));
      copy.querySelectorAll('[id]').forEach((element) => element.removeAttribute('id'));
      names.replaceChildren(copy);
      names.hidden = canvas.scrollTop <= below;
      if (!elements[selected]) selected = elements.findIndex(Boolean);
      mark();
      reach(step);
    }

    // On paper, a tall picture shows the rows around the chosen event.
    function crop(picture, on) {
      picture.dataset.full ??= picture.getAttribute('viewBox');
      const [, , width, height] = picture.dataset.full.split(' ').map(Number);
      let [top, bottom] = [0, height];
      if (on && height > PAPER && elements[selected]) {
        const first = Math.max(0, Math.min(spot(selected).y - PAPER / 2, height - PAPER));
        const boxes = elements.filter(Boolean).map((element) => element.getBBox())
          .filter((box) => box.y >= first && box.y + box.height <= first + PAPER);
        top = Math.min(...boxes.map((box) => box.y)) - 8;
        bottom = Math.max(...boxes.map((box) => box.y + box.height)) + 8;
        names.hidden = false;
      }
      picture.setAttribute('viewBox', `0 ${top} ${width} ${bottom - top}`);
      picture.setAttribute('height', bottom - top);
      const left = [top > 0 || bottom < height ? 'the part around the chosen event' : '',
        on && picture === part && !only.checked ? 'the lifelines that suffice to fail' : ''].filter(Boolean);
      paper.textContent = left.length > 0 ? `On paper: ${left.join('; ')}.` : '';
    }

    function mark() {
      elements.forEach((element, at) => {
        element?.setAttribute('tabindex', at === selected ? '0' : '-1');
        element?.setAttribute('aria-pressed', at === selected ? 'true' : 'false');
      });
      if (events[selected]) show(events[selected]);
    }

    function select(at, quietly) {
      selected = at;
      mark();
      if (quietly) return;
      const { log, label } = events[at];
      say(log ? `${label}, ${log.place}: ${log.lines[log.marked] ?? ''}` : `${label}, no log has it`);
    }

    // The middle of an event, in the coordinates of the picture.
    function spot(at) {
      const { x, y, width, height } = elements[at].getBBox();
      return { x: x + width / 2, y: y + height / 2 };
    }

    function reveal(at) {
      if (!elements[at]) return;
      const { x, y } = spot(at);
      const [left, top] = [x - canvas.scrollLeft, y - canvas.scrollTop];
      if (left < 80 || left > canvas.clientWidth - 80) canvas.scrollLeft = x - canvas.clientWidth / 2;
      if (top < 80 || top > canvas.clientHeight - 30) canvas.scrollTop = y - canvas.clientHeight / 2;
    }

    function stepped(to) {
      reach(to);
      if (to > 0) {
        const at = numbers.get(run[to - 1][0]);
        select(at, true);
        reveal(at);
      }
    }

    // Events of the run that are still to come are faded.
    function reach(to) {
      step = to;
      run.forEach(([id], at) => {
        const { classList } = elements[numbers.get(id)] ?? {};
        classList?.toggle('done', at < to);
        classList?.toggle('later', at >= to);
        classList?.toggle('current', at === to - 1);
      });
      const event = to > 0 ? events[numbers.get(run[to - 1][0])] : undefined;
      const text = event
        ? `Step ${count(run[to - 1][1])} of ${count(steps)}: ${event.label}${event.log ? `, ${event.log.place}` : ', assumed'}`
        : `Before step ${count(last > 0 ? run[0][1] : 1)} of ${count(steps)}`;
      output.textContent = visible(text);
      range.value = to;
      range.setAttribute('aria-valuetext', visible(text));
      buttons[0].disabled = to === 0;
      buttons[1].disabled = to === last;
    }

    // The keyboard moves along a lifeline, and to the nearest event of the next one that has any.
    function key(press) {
      const at = elements.indexOf(document.activeElement);
      if (at < 0) return;
      if (press.key === 'Enter' || press.key === ' ') {
        press.preventDefault();
        select(at);
        return;
      }
      const here = spot(at);
      const all = elements.flatMap((element, other) => (element ? [{ other, ...spot(other) }] : []));
      const near = (a, b) => Math.abs(a - b) < 1;
      const own = all.filter(({ x }) => near(x, here.x)).sort((a, b) => a.y - b.y);
      const place = own.findIndex(({ other }) => other === at);
      const beside = (by) => {
        const there = all.filter(({ x }) => (x - here.x) * by > 1);
        const column = by * Math.min(...there.map(({ x }) => x * by));
        const distance = ({ y }) => Math.abs(y - here.y);
        return there.filter(({ x }) => near(x, column)).sort((a, b) => distance(a) - distance(b))[0];
      };
      const moves = {
        ArrowDown: () => own[place + 1],
        ArrowUp: () => own[place - 1],
        Home: () => own[0],
        End: () => own[own.length - 1],
        ArrowLeft: () => beside(-1),
        ArrowRight: () => beside(1),
      };
      if (!moves[press.key]) return;
      press.preventDefault();
      const to = moves[press.key]()?.other ?? at;
      elements[at].setAttribute('tabindex', '-1');
      elements[to].setAttribute('tabindex', '0');
      elements[to].focus({ preventScroll: true });
      reveal(to);
    }

    const element = h('section', { class: 'picture', 'aria-labelledby': 'picture-title' },
      h('h3', { id: 'picture-title' }, 'What happened'),
      diagram.note ? h('p', { class: 'warning' }, diagram.note) : '',
      last > 0 ? h('div', { class: 'stepper' }, h('label', { for: 'step', class: 'quiet' }, 'Accepted run'), range, h('span', {}, buttons), output)
        : h('p', { class: 'quiet' }, events.some((event) => event.state === 'explained') ? 'There is no run to step through.' : 'No event of it is accepted.'),
      core ? h('label', { class: 'check hint' }, only, `Only what suffices to fail (${plural(core.lifelines[0], 'lifeline')} of ${count(core.lifelines[1])})`) : '',
      h('p', { class: 'quiet hint' }, 'Choose an event to see its lines: by mouse, or with the arrow keys and Enter.'),
      paper, canvas);
    return {
      element,
      start: () => { put(whole); reveal(selected); },
      // A picture that is too wide for paper is printed without the lifelines that are not needed to fail.
      print: (on) => {
        const isWide = part && whole.viewBox.baseVal.width > 1100;
        const picture = only.checked || on && isWide ? part : whole;
        put(picture);
        crop(picture, on);
        reveal(selected);
      },
    };
  }

  // ---- Which part is seen ----

  function route(event) {
    const match = /^#case=([^&]*)(?:&(\d+))?$/.exec(location.hash);
    let index;
    try {
      index = match?.[2] ? Number(match[2]) : match ? indices.get(decodeURIComponent(match[1])) : undefined;
    } catch { /* Not one of our addresses. */ }
    const isOpen = data.cases[index]?.detail !== undefined;
    const before = open;
    find('overview').hidden = isOpen;
    find('case').hidden = !isOpen;
    if (isOpen) {
      const title = panel(index);
      if (event) {
        scrollTo({ top: 0, behavior: 'instant' });
        title.focus({ preventScroll: true });
      }
    } else {
      open = null;
      find('case').replaceChildren();
      if (before) table.focus(before.index);
    }
  }

  theme();
  table.build();
  coverage();
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    find('main').tabIndex = -1;
    find('main').focus();
  });
  addEventListener('hashchange', route);
  addEventListener('beforeprint', () => { table.print(true); open?.print?.(true); });
  addEventListener('afterprint', () => { table.print(false); open?.print?.(false); });
  // A report on one group opens it.
  if (data.cases.length === 1 && data.cases[0].detail && location.hash === '') {
    try {
      history.replaceState(null, '', address(0));
    } catch { /* A page in a frame may not be allowed to; it is one click more. */ }
  }
  route();
})();
