// Live page of a pantarhei service. Data of the service is inserted as text only, never as HTML.
"use strict";

const byId = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const JSON_RESULTS = "application/sparql-results+json";
const POLL = 1000, HIDDEN_POLL = 10000, LONGEST_PAUSE = 10000, SILENCE = 60000; // milliseconds
const FEED = 200, REPAIRS = 60, ROWS = 100, SAMPLES = 180;
const RATES = {messages: "Messages", changes: "Changes", removed: "Removed assertions", dead: "Dead letters"};

let state = null;
let paused = false;
let prefixes = [];

/** Element with attributes and children; texts become text nodes, event handlers are functions. */
function make(name, attributes = {}, ...children) {
  const isSvg = ["svg", "rect", "path"].includes(name);
  const element = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

const setText = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const count = (number, noun, plural = noun + "s") => `${shown(number)} ${number === 1 ? noun : plural}`;
const clock = time => /T(\d\d:\d\d:\d\d(\.\d{1,3})?)/.exec(time)?.[1] ?? String(time);
const shortTimes = text => text.replace(/(:\d\d\.\d{1,3})\d*/g, "$1");

function shown(number) {
  if (!Number.isFinite(number)) return String(number);
  const digits = Number.isInteger(number) ? 0 : Math.abs(number) >= 1000 ? 1 : 3;
  return number.toLocaleString("en", {maximumFractionDigits: digits});
}

// ---- requests ------------------------------------------------------------------------------------

class Refused extends Error {
  constructor(status, text, token) {
    super(text.trim() || `the service answered with status ${status}`);
    Object.assign(this, {status, token});
  }
}

/** Response to a request; throws `Refused` for an error of the service, TypeError if it is not reached. While too
 *  many queries run, it is sent again. */
async function request(path, options = {}, attempts = 8) {
  const token = sessionStorage.getItem("token");
  const headers = {...options.headers, ...(token ? {Authorization: `Bearer ${token}`} : {})};
  const response = await fetch(path, {signal: AbortSignal.timeout(20000), ...options, headers});
  if (response.status === 401) byId("token-form").hidden = false;
  if (response.status === 429 && attempts > 1) {
    await wait(250);
    return request(path, options, attempts - 1);
  }
  if (!response.ok) throw new Refused(response.status, (await response.text()).slice(0, 4000), token);
  return response;
}

const read = async path => (await request(path, {headers: {Accept: "application/json"}})).json();
const wait = milliseconds => new Promise(done => { setTimeout(done, milliseconds); });

// ---- terms ---------------------------------------------------------------------------------------

function shortName(iri) {
  const found = prefixes.find(([, start]) => iri.startsWith(start) && /^[\w.-]*$/.test(iri.slice(start.length)));
  return found ? `${found[0]}:${iri.slice(found[1].length)}` : iri;
}

/** A term of N-Triples as {text, full, number}. */
function parseTerm(written) {
  if (written.startsWith("<")) return {text: shortName(written.slice(1, -1)), full: written};
  const literal = /^"(.*)"(?:@[\w-]+|\^\^<.*[#/](\w+)>)?$/s.exec(written);
  return literal ? value(literal[1], literal[2], written) : {text: written, full: written};
}

function value(text, datatype, full) {
  const isNumber = /^(decimal|double|float|int|integer|long|short|byte|nonNegativeInteger)$/.test(datatype || "");
  return isNumber && text.trim() !== "" && Number.isFinite(+text)
    ? {text: shown(+text), full: text, number: +text} : {text, full};
}

function bindingTerm(term) {
  if (!term) return {text: "", full: ""};
  if (term.type === "uri") return {text: shortName(term.value), full: term.value};
  if (term.type === "bnode") return {text: `_:${term.value}`, full: term.value};
  return value(term.value, (term.datatype || "").split(/[#/]/).pop(), term.value);
}

const plainTerm = given => typeof given === "number" ? {text: shown(given), full: String(given), number: given}
  : {text: /^[a-z][\w+.-]*:\S+$/i.test(given) ? shortName(given) : String(given ?? ""), full: String(given ?? "")};

const tripleText = terms => terms.map((term, place) =>
  place === 1 && term.endsWith("22-rdf-syntax-ns#type>") ? "a" : parseTerm(term).text).join(" ");

function conclusionText(row) {
  const {predicate, ...others} = row;
  if (predicate === undefined) return Object.entries(others).map(([key, each]) => `${key} ${plainTerm(each).text}`).join(", ");
  return `${plainTerm(predicate).text}(${Object.values(others).map(each => plainTerm(each).text).join(", ")})`;
}

// ---- plots ---------------------------------------------------------------------------------------

/** Line plot of numbers above zero (or the least of them), the newest at the right; update it with `draw`. */
function sparkline(label) {
  const area = make("path", {class: "area"}), line = make("path", {class: "line"});
  const svg = make("svg", {viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": label}, area, line);
  const draw = values => {
    if (values.length < 2) return;
    const most = Math.max(...values), least = Math.min(0, ...values), height = most - least || 1;
    const span = Math.max(values.length, 60), first = span - values.length;
    const x = place => (100 * (first + place) / (span - 1)).toFixed(2);
    const points = values.map((each, place) => `${x(place)} ${(39 - 38 * (each - least) / height).toFixed(2)}`);
    line.setAttribute("d", `M${points.join("L")}`);
    area.setAttribute("d", `M${x(0)} 40L${points.join("L")}L100 40Z`);
    svg.setAttribute("aria-label", `${label}: now ${shown(values.at(-1))}, at most ${shown(most)}`);
  };
  return {svg, draw};
}

const rates = {};
for (const [name, label] of Object.entries(RATES)) {
  const plot = sparkline(label), now = make("span", {class: "value"});
  rates[name] = {...plot, now};
  byId("rates").append(make("div", {class: "rate"}, make("span", {}, label), now, plot.svg));
}

function showRates(given) {
  for (const [name, rate] of Object.entries(rates)) {
    const values = given[name];
    if (values.length) setText(rate.now, `${shown(values.at(-1))} · most ${shown(Math.max(...values))}`);
    rate.draw(values);
  }
}

// ---- window --------------------------------------------------------------------------------------

const bars = {kept: [], removed: []};
const chosenBar = make("rect", {class: "chosen", y: 0, height: 100, width: 0});
const windowPlot = make("svg", {viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img"});
let chosen = null; // the part of the window that is listed, {from, to} in milliseconds

byId("window-plot").append(windowPlot);
windowPlot.addEventListener("click", event => {
  const box = windowPlot.getBoundingClientRect();
  const number = bars.kept.length;
  byId("partition").value = Math.min(number - 1, Math.floor(number * (event.clientX - box.left) / box.width));
  choosePartition();
});
byId("partition").addEventListener("change", choosePartition);
byId("partition").addEventListener("input", describePartition);

function showWindow(given) {
  const number = given.kept.length, end = Date.parse(given.end), start = end - 1000 * given.seconds;
  if (bars.kept.length !== number) {
    for (const kind of ["kept", "removed"]) {
      bars[kind] = Array.from({length: number}, (_, place) =>
        make("rect", {class: kind, x: 100 * place / number, width: 80 / number}));
    }
    windowPlot.replaceChildren(chosenBar, ...bars.kept, ...bars.removed);
    byId("partition").max = Math.max(0, number - 1);
    byId("partition").value = number - 1;
  }
  const most = Math.max(1, ...given.kept.map((kept, place) => kept + given.removed[place]));
  given.kept.forEach((kept, place) => {
    const removed = given.removed[place];
    const [below, above] = [100 * kept / most, 100 * removed / most];
    for (const [bar, y, height] of [[bars.kept[place], 100 - below, below], [bars.removed[place], 100 - below - above, above]]) {
      bar.setAttribute("y", y);
      bar.setAttribute("height", height);
    }
  });
  if (chosen) {
    chosenBar.setAttribute("x", Math.max(0, 100 * (chosen.from - start) / (end - start)));
    const left = Math.max(0, Math.min(chosen.to, end) - Math.max(chosen.from, start));
    chosenBar.setAttribute("width", 100 * left / (end - start));
  }
  const sums = [given.kept, given.removed].map(each => each.reduce((one, other) => one + other, 0));
  windowPlot.setAttribute("aria-label", `The window holds ${count(sums[0], "assertion")}; repairs removed ${shown(sums[1])}`);
  setText(byId("window-most"), `highest bar: ${count(most, "assertion")}`);
  setText(byId("window-start"), given.end ? clock(new Date(start).toISOString()) : "");
  setText(byId("window-end"), given.end ? clock(given.end) : "no message yet");
  describePartition();
}

/** Bounds of the partition at the slider, and its numbers of assertions. */
function partition() {
  const {kept, removed, end, seconds} = state.window;
  const place = +byId("partition").value, length = 1000 * seconds / kept.length;
  const from = Date.parse(end) - 1000 * seconds + place * length;
  return {from, to: from + length, kept: kept[place], removed: removed[place]};
}

function describePartition() {
  if (!state?.window.end) return;
  const {from, to, kept, removed} = partition();
  const [first, last] = [from, to].map(each => clock(new Date(each).toISOString()));
  byId("partition").setAttribute("aria-valuetext", `${first} to ${last}: ${kept} kept, ${removed} removed`);
}

async function choosePartition() {
  if (!state?.window.end) return;
  chosen = partition();
  showWindow(state.window);
  const list = byId("partition-list"), title = byId("partition-title");
  const [from, to] = [chosen.from, chosen.to + 1].map(each => new Date(each).toISOString());
  try {
    const found = await read(`/window?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`);
    const more = found.count > found.first.length ? `; the newest ${shown(found.first.length)} are listed` : "";
    setText(title, `${clock(from)} to ${clock(to)}: ${count(found.count, "assertion")}${found.removed ? `, ${shown(found.removed)} removed` : ""}${more}`);
    const rows = found.first.map(each => make("tr", {},
      make("td", {class: "time"}, clock(each.at)),
      make("td", {title: each.triple.join(" ")}, tripleText(each.triple)),
      make("td", {class: each.removed ? "cut" : "came"}, each.removed ? "removed" : "kept")));
    list.replaceChildren(make("table", {}, make("thead", {class: "hidden"},
      make("tr", {}, make("th", {}, "Time"), make("th", {}, "Triple"), make("th", {}, "State"))), make("tbody", {}, ...rows)));
    list.hidden = !rows.length;
  } catch (error) { showError(title, error); }
}

// ---- proofs --------------------------------------------------------------------------------------

/** Proof as a nested list: the conclusion, and under each step its premises. A shared step unfolds once. */
function proofTree(proof) {
  const seen = new Set();
  const step = place => {
    const given = proof.steps[place], isKnown = seen.has(place);
    seen.add(place);
    const premises = isKnown ? [] : given.premises || [];
    return make("li", {},
      shortTimes(given.text),
      given.at ? make("small", {}, ` asserted at ${clock(given.at)}`) : null,
      given.kind === "said" ? make("small", {}, ` from ${clock(given.from)} to ${clock(given.until)}`) : null,
      isKnown && given.premises ? make("small", {}, " (see above)") : null,
      given.axiom ? make("small", {title: given.axiom.text}, ` by ${given.axiom.manchester || given.axiom.text}`) : null,
      premises.length ? make("ul", {}, ...premises.map(step)) : null);
  };
  const tree = make("ul", {class: "tree"}, step(proof.steps.length - 1));
  return proof.complete ? tree : make("div", {}, tree, make("p", {class: "soft"}, "A limit was reached; there may be a simpler proof."));
}

/** Details whose content is fetched when they are opened. */
function unfolding(summary, path, show) {
  const details = make("details", {}, make("summary", {}, ...summary));
  details.addEventListener("toggle", async () => {
    if (!details.open || details.children.length > 1) return;
    const content = make("div", {class: "soft"}, "…");
    details.append(content);
    try {
      content.replaceChildren(...show(await read(path)));
      content.className = "";
    } catch (error) {
      showError(content, error);
      details.addEventListener("toggle", () => content.remove(), {once: true});
    }
  });
  return details;
}

function showError(element, error) {
  const isLost = error instanceof TypeError || error.name === "TimeoutError";
  element.textContent = isLost ? "The service cannot be reached." : error.message;
}

// ---- lists that move -----------------------------------------------------------------------------

const canHover = matchMedia("(hover: hover)").matches;

/** A list with the newest items first that stays still while someone reads it: the pointer or the focus is in
 *  it, or an item is open. */
class Feed {
  constructor(list, most, button, empty) {
    Object.assign(this, {list, most, button, empty, waiting: []});
    this.box = list.closest(".scroll");
    button.addEventListener("click", () => this.show());
  }

  get isRead() {
    return (canHover && this.box.matches(":hover")) || this.box.contains(document.activeElement)
      || this.box.scrollTop > 4 || this.list.querySelector("details[open]") !== null;
  }

  add(items) {
    this.waiting = [...items, ...this.waiting].slice(0, this.most);
    if (!this.waiting.length) return;
    if (paused || (this.isRead && this.list.children.length)) {
      this.button.hidden = false;
      setText(this.button, `Show ${shown(this.waiting.length)} newer`);
    } else this.show(false);
  }

  show(scrolls = true) {
    this.list.prepend(...this.waiting);
    this.waiting = [];
    while (this.list.children.length > this.most) this.list.lastElementChild.remove();
    this.button.hidden = this.empty.hidden = true;
    if (scrolls) this.box.scrollTop = 0;
  }

  clear() {
    this.list.replaceChildren();
    this.waiting = [];
    this.button.hidden = true;
    this.empty.hidden = false;
  }
}

const repairFeed = new Feed(byId("repairs"), REPAIRS, byId("repairs-newer"), byId("repairs-empty"));
const changeFeed = new Feed(byId("changes"), FEED, byId("changes-newer"), byId("changes-empty"));
let newestRepair = "";

function showRepairs(found) {
  const isNew = found.filter(each => each.at > newestRepair);
  if (found.length) newestRepair = found[0].at;
  repairFeed.add(isNew.flatMap(repair => repair.removals.map((text, place) => {
    const path = `/repairs/proof?at=${encodeURIComponent(repair.at)}&place=${place}`;
    const sentence = shortTimes(text.replace(/^(at )?[\d:.TZ+-]+ /, ""));
    return make("li", {}, unfolding([make("time", {}, clock(repair.at)), sentence], path, proofs =>
      proofs.length ? proofs.map(proofTree) : ["No proof of the contradiction is known."]));
  }).concat(repair.more ? [make("li", {class: "soft"}, `and ${shown(repair.more)} more at ${clock(repair.at)}`)] : [])));
}

// ---- conclusions ---------------------------------------------------------------------------------

const presentConclusions = new Map();

function showConclusions(given) {
  setText(byId("conclusions-count"), given.count > given.first.length
    ? `${shown(given.count)} now, ${given.first.length} shown` : `${shown(given.count)} now`);
  const list = byId("conclusions"), rows = new Map(given.first.map(row => [JSON.stringify(row), row]));
  for (const [key, item] of presentConclusions) {
    if (rows.has(key) || item.contains(document.activeElement)) continue;
    if (item.firstChild.open) item.firstChild.firstChild.className = "gone"; // its proof stays until it is closed
    else { item.remove(); presentConclusions.delete(key); }
  }
  for (const [key, row] of rows) {
    const known = presentConclusions.get(key);
    if (known) { known.firstChild.firstChild.className = ""; continue; }
    const item = make("li", {}, unfolding([conclusionText(row)], `/conclusions/proof?row=${encodeURIComponent(key)}`, proof => [proofTree(proof)]));
    presentConclusions.set(key, item);
    list.append(item);
  }
}

let announced = 0, came = 0, gone = 0;

/** Say to screen readers what came and went, at most every 20 seconds. */
function announce() {
  if (Date.now() - announced < 20000 || !(came || gone)) return;
  setText(byId("announcer"), `Changes of ${byId("changes-name").value}: ${came} came, ${gone} went.`);
  [announced, came, gone] = [Date.now(), 0, 0];
}

let arrived = [];

function noteChange(change) {
  const isInsert = change.change === "+";
  if (isInsert) came += 1; else gone += 1;
  arrived.unshift(change);
  if (arrived.length > FEED) arrived.length = FEED;
}

function showChanges() {
  if (arrived.length) {
    changeFeed.add(arrived.map(change => make("tr", {class: "fresh"},
      make("td", {class: "time"}, clock(change.at)),
      make("td", {class: change.change === "+" ? "came" : "gone"}, change.change === "+" ? "+ came" : "− went"),
      make("td", {title: JSON.stringify(change.row)}, conclusionText(change.row)))));
    arrived = [];
  }
  announce();
}

// ---- events --------------------------------------------------------------------------------------

let following = new AbortController();

/** Events of a stream of server-sent events, as {id, event, data}. */
async function* events(body, isSilent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const timer = setTimeout(isSilent, SILENCE);
    const {value: text, done} = await reader.read();
    clearTimeout(timer);
    if (done) return;
    const blocks = (rest + text.replace(/\r\n?/g, "\n")).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = {event: "message", data: ""};
      for (const line of block.split("\n")) {
        const [, field, content] = /^(\w+): ?(.*)$/.exec(line) || [];
        if (field) event[field] = field === "data" && event.data ? `${event.data}\n${content}` : content;
      }
      yield event;
    }
  }
}

/** Follow the changes of the chosen name for as long as the page is open. */
async function follow() {
  let last = null, pause = 500, name = null;
  for (;;) {
    if (name !== byId("changes-name").value) [name, last] = [byId("changes-name").value, null];
    following = new AbortController();
    const stop = following;
    try {
      const headers = {Accept: "text/event-stream", ...(last ? {"Last-Event-ID": last} : {})};
      const response = await request(`/events?query=${encodeURIComponent(name)}`, {headers, signal: stop.signal, cache: "no-store"});
      pause = 500;
      for await (const event of events(response.body, () => stop.abort())) {
        if (event.id) last = event.id;
        if (event.event === "reset" || event.event === "dropped") {
          changeFeed.add([make("tr", {}, make("td", {colspan: 3, class: "soft"}, "Some changes before this line are missing."))]);
        } else if (event.event === "message" && event.data) noteChange(JSON.parse(event.data));
      }
    } catch (error) {
      if (error.status === 401) {
        await tokenOtherThan(error.token);
        continue;
      }
    }
    if (name === byId("changes-name").value) {
      await wait(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }
}

byId("changes-name").addEventListener("change", () => { arrived = []; changeFeed.clear(); following.abort(); });

// ---- registered queries --------------------------------------------------------------------------

const cards = new Map();

/** Table of terms; columns of numbers have bars if there are several rows. */
function resultTable(names, rows) {
  const most = names.map((_, column) => rows.length > 1 && rows.every(row => row[column].number >= 0)
    ? Math.max(...rows.map(row => row[column].number)) : 0);
  const head = names.flatMap((name, column) => [
    make("th", {scope: "col", class: rows.length && rows[0][column].number !== undefined ? "number" : null}, name),
    most[column] ? make("td", {class: "bar"}) : null]);
  const line = row => make("tr", {}, ...row.flatMap((term, column) => [
    make("td", {title: term.full, class: term.number === undefined ? null : "number"}, term.text),
    most[column] ? make("td", {class: "bar", "aria-hidden": "true"},
      make("svg", {viewBox: "0 0 100 10", preserveAspectRatio: "none"},
        make("rect", {class: "kept", height: 10, width: 100 * term.number / most[column]}))) : null]));
  return make("table", {}, make("thead", {}, make("tr", {}, ...head.filter(Boolean))), make("tbody", {}, ...rows.map(line)));
}

const compare = (one, other) => {
  for (let column = 0; column < one.length; column += 1) {
    const order = one[column].full.localeCompare(other[column].full, "en", {numeric: true});
    if (order) return order;
  }
  return 0;
};

/** Rows of results in SPARQL JSON, at most `ROWS`. */
function rowsOf(results, isSorted) {
  const names = results.head.vars || [];
  const rows = (results.results?.bindings || []).map(each => names.map(name => bindingTerm(each[name])));
  if (isSorted) rows.sort(compare);
  return {names, rows: rows.slice(0, ROWS), count: rows.length};
}

class Card {
  constructor(query, isOpen) {
    this.name = query.name;
    this.plot = sparkline(query.name);
    this.now = make("span", {class: "value"});
    this.content = make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `Answers of ${query.name}`});
    this.element = make("details", {class: "answer", open: isOpen, toggle: () => this.refresh()},
      make("summary", {}, make("span", {}, query.name), this.plot.svg, this.now), this.content);
    [this.values, this.text, this.isBusy] = [[], "", false];
  }

  show(query) {
    this.count = query.count;
    if (query.form !== "ASK" && !this.isNumber) this.sample(query.count, count(query.count, "row"));
  }

  sample(number, text) {
    this.values = [...this.values, number].slice(-SAMPLES);
    this.plot.draw(this.values);
    setText(this.now, text);
  }

  async refresh() {
    if (this.isBusy || !(this.element.open || this.count === 1 || this.isNumber)) return;
    this.isBusy = true;
    try {
      const response = await request(`/queries/${encodeURIComponent(this.name)}`, {headers: {Accept: JSON_RESULTS}});
      const text = await response.text(), results = JSON.parse(text);
      if ("boolean" in results) this.sample(+results.boolean, results.boolean ? "true" : "false");
      const {names, rows, count: number} = rowsOf(results, true);
      const numbers = rows.length === 1 ? rows[0].filter(term => term.number !== undefined) : [];
      this.isNumber = numbers.length === 1 && names.length === 1; // its value is plotted, not its number of rows
      if (this.isNumber) this.sample(numbers[0].number, numbers[0].text);
      if (text !== this.text && this.element.open) {
        this.text = text;
        const more = number > rows.length ? make("p", {class: "soft"}, `${shown(number - rows.length)} more rows`) : null;
        this.content.replaceChildren(...[rows.length ? resultTable(names, rows) : make("p", {class: "soft"}, "No answer now."), more].filter(Boolean));
      }
    } catch (error) { showError(this.content, error); this.text = ""; }
    this.isBusy = false;
  }
}

let isRefreshing = false;

/** Read the answers one query after another, so that other queries have room. */
async function refreshCards() {
  if (isRefreshing) return;
  isRefreshing = true;
  for (const card of [...cards.values()]) await card.refresh();
  isRefreshing = false;
}

function showQueries(queries) {
  byId("answers-empty").hidden = queries.length > 0;
  const names = new Set(queries.map(query => query.name));
  for (const [name, card] of cards) if (!names.has(name)) { card.element.remove(); cards.delete(name); }
  for (const query of queries) {
    if (!cards.has(query.name)) {
      const card = new Card(query, cards.size < 6);
      cards.set(query.name, card);
      byId("answers").append(card.element);
    }
    cards.get(query.name).show(query);
  }
  refreshCards();
  const select = byId("changes-name"), known = [...select.options].map(option => option.value);
  const wanted = ["conclusions", ...names];
  if (known.join("\n") === wanted.join("\n")) return;
  const value = select.value;
  select.replaceChildren(...wanted.map(name => make("option", {value: name}, name)));
  select.value = wanted.includes(value) ? value : "conclusions";
}

// ---- SPARQL --------------------------------------------------------------------------------------

function showCaret(message) {
  const [, line, column] = /line (\d+), column (\d+)/.exec(message) || [];
  if (!line) return;
  const field = byId("query"), lines = field.value.split("\n");
  const place = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0) + (column - 1);
  field.focus();
  field.setSelectionRange(place, Math.min(place + 1, field.value.length));
  field.scrollTop = Math.max(0, (line - 3) * field.scrollHeight / lines.length);
}

async function ask(event) {
  event.preventDefault();
  const field = byId("query"), box = byId("ask-result"), error = byId("ask-error"), status = byId("ask-status");
  const text = field.value;
  error.hidden = true;
  setText(status, "Running …");
  const began = performance.now();
  try {
    const headers = {"Content-Type": "application/sparql-query", Accept: `${JSON_RESULTS}, text/turtle;q=0.9`};
    const response = await request("/sparql", {method: "POST", headers, body: text});
    const body = await response.text();
    const time = `${shown(Math.round(performance.now() - began))} ms`;
    if (!(response.headers.get("Content-Type") || "").includes("json")) {
      setText(status, `Graph in ${time}`);
      box.replaceChildren(make("pre", {}, body.slice(0, 200000)));
    } else {
      const results = JSON.parse(body), {names, rows, count: number} = rowsOf(results, false);
      if ("boolean" in results) setText(status, `${results.boolean ? "True" : "False"}, in ${time}`);
      else setText(status, `${count(number, "row")} in ${time}${number > rows.length ? `; the first ${rows.length} are shown` : ""}`);
      box.replaceChildren(...rows.length ? [resultTable(names, rows)] : []);
    }
    box.hidden = !box.children.length;
  } catch (failure) {
    setText(status, "");
    box.hidden = true;
    showError(error, failure);
    error.hidden = false;
    showCaret(error.textContent);
  }
}

byId("ask").addEventListener("submit", ask);
byId("query").addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("ask").requestSubmit();
});
byId("prefix").addEventListener("change", event => {
  const field = byId("query");
  field.setRangeText(event.target.value, field.selectionStart, field.selectionEnd, "end");
  event.target.value = "";
  field.focus();
});

byId("explain").addEventListener("submit", async event => {
  event.preventDefault();
  const kind = event.submitter?.value || "explain", box = byId("explanation");
  const accept = kind === "explain" ? "application/json" : "text/plain";
  try {
    const path = `/${kind}?triple=${encodeURIComponent(byId("triple").value.trim())}`;
    const response = await request(path, {headers: {Accept: accept}});
    box.replaceChildren(kind === "explain" ? proofTree(await response.json()) : make("pre", {}, shortTimes(await response.text())));
  } catch (error) {
    const text = make("pre", {class: "error"});
    showError(text, error);
    box.replaceChildren(text);
  }
});

// ---- dead letters, sources and sinks -------------------------------------------------------------

let shownDead = "";

function showDead({reasons, last}) {
  const sum = Object.values(reasons).reduce((one, other) => one + other, 0);
  const parts = Object.entries(reasons).map(([reason, number]) => `${shown(number)} ${reason}`);
  setText(byId("dead-count"), sum ? `${shown(sum)} since the start: ${parts.join(", ")}` : "none since the start");
  byId("dead-empty").hidden = sum > 0;
  const list = byId("dead"), key = `${sum} ${last[0]?.at}`;
  if (key === shownDead || paused || list.querySelector("details[open]")) return;
  shownDead = key;
  list.replaceChildren(...last.map(each => make("li", {}, make("details", {},
    make("summary", {}, make("time", {}, clock(each.at)), `${each.topic}: ${each.reason}`),
    make("p", {}, shortTimes(each.detail)), make("pre", {class: "soft"}, each.payload || "(empty)")))));
}

function showLinks({sources = {}, sinks = {}, record = 0}) {
  const table = (heads, given, describe) => make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((head, place) => make("th", {scope: "col", class: place === 2 ? "number" : null}, head)))),
    make("tbody", {}, ...Object.entries(given).map(([name, each]) => {
      const [isGood, text, number] = describe(each);
      return make("tr", {}, make("td", {}, name), make("td", {class: isGood ? "came" : "bad"}, text), make("td", {class: "number"}, shown(number)));
    })));
  byId("links").replaceChildren(
    table(["Source", "State", "Messages"], sources, each =>
      [each.available, each.problem || (each.connected ? "connected" : each.has_ended ? "ended" : each.available ? "waits for files" : "not connected"), each.messages]),
    table(["Sink", "State", "Changes"], sinks, each =>
      [!each.problem, each.problem || (record - each.position > 1 && each.waiting ? `${count(each.waiting, "record")} waiting` : "up to date"), each.changes]));
}

// ---- the state -----------------------------------------------------------------------------------

function showStatus(kind, text) {
  document.body.className = kind;
  setText(byId("status-text"), text);
  document.title = `${kind === "live" ? "" : "! "}${state?.name || "service"} · pantarhei`;
}

const figures = new Map();

function showFigures(given) {
  const zone = /Z$|[+-]\d\d:?\d\d$/.exec(given.at || "")?.[0] || "";
  const shownFigures = {
    Time: given.at ? `${given.at.slice(0, 10)} ${given.at.slice(11, 19)} ${zone === "Z" ? "UTC" : zone}` : "none yet",
    Behind: given.behind === null ? "–" : `${Math.max(0, given.behind).toFixed(1)} s`,
    Record: shown(given.record), Facts: shown(given.facts), Memory: `${shown(Math.round(given.bytes / 1e5) / 10)} MB`,
  };
  for (const [name, text] of Object.entries(shownFigures)) {
    if (!figures.has(name)) {
      figures.set(name, make("dd"));
      byId("figures").append(make("div", {}, make("dt", {}, name), figures.get(name)));
    }
    setText(figures.get(name), text);
  }
}

function show(given) {
  if (state === null || JSON.stringify(state.prefixes) !== JSON.stringify(given.prefixes)) {
    prefixes = Object.entries(given.prefixes).sort((one, other) => other[1].length - one[1].length);
    const options = Object.entries(given.prefixes).sort().map(([prefix, iri]) =>
      make("option", {value: `${prefix}:`, title: iri}, `${prefix}:`));
    byId("prefix").replaceChildren(make("option", {value: ""}, "insert …"), ...options);
  }
  state = given;
  setText(byId("name"), given.name);
  const blocked = given.writer.blocked;
  if (!given.ready) showStatus("waiting", "Catching up with the journal");
  else if (given.problem) showStatus("waiting", `Not up to date: ${given.problem}`);
  else if (blocked) showStatus("waiting", `The journal cannot be written: ${blocked}`);
  else showStatus("live", `Live${given.behind > 5 ? `, ${shown(Math.round(given.behind))} s behind` : ""}${paused ? ", page paused" : ""}`);
  if (paused) return;
  showFigures(given);
  showWindow(given.window);
  showRates(given.rates);
  showConclusions(given.conclusions);
  showQueries(given.queries);
  showDead(given.dead);
  showLinks(given.writer);
  setText(byId("repairs-count"), `${shown(given.removed)} assertions removed since the stream began`);
}

let retry = () => {};

/** Read the state again and again; while the service is not reached, in pauses that grow. */
async function poll() {
  let pause = POLL;
  for (;;) {
    try {
      const given = await read("/state"), repairs = paused ? [] : await read("/repairs");
      pause = POLL;
      byId("token-form").hidden = true;
      if (state && given.record < state.record) newestRepair = ""; // a new window
      try {
        show(given);
        showRepairs(repairs);
      } catch (error) {
        console.error(error);
        showStatus("lost", "This page has an error; load it again");
      }
    } catch (error) {
      if (error.status === 401) {
        showStatus("lost", "A token is needed");
        await tokenOtherThan(error.token);
        continue;
      }
      pause = Math.min(1.5 * pause, LONGEST_PAUSE);
      showStatus("lost", `Not connected; trying again every ${Math.round(pause / 1000)} s`);
    }
    await Promise.race([wait(document.hidden ? HIDDEN_POLL : pause), new Promise(done => { retry = done; })]);
  }
}

let tokenWaiters = [];

/** Wait until another token is entered than one that was refused. */
const tokenOtherThan = refused => sessionStorage.getItem("token") !== refused ? Promise.resolve()
  : new Promise(done => { tokenWaiters.push(done); });

byId("token-form").addEventListener("submit", event => {
  event.preventDefault();
  sessionStorage.setItem("token", byId("token").value);
  byId("token").value = "";
  const waiters = tokenWaiters;
  tokenWaiters = [];
  for (const done of waiters) done();
});

byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  setText(byId("pause"), paused ? "Go on" : "Pause");
  if (!paused) { repairFeed.show(); changeFeed.show(); }
  retry();
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) retry(); });
setInterval(showChanges, 300);
poll();
follow();
