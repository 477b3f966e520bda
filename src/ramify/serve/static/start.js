// The start page: parse what is in the box, draw it, and list other heads. All text is set as text, never as HTML.
"use strict";

const box = document.getElementById("text");
const models = document.getElementById("model");
const state = document.getElementById("status");
const trees = document.getElementById("trees");
const alternatives = document.getElementById("alternatives");
let latest = 0;
let timer = 0;

async function ask(name, body) {
  const answer = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

function cell(row, text, kind = "td") {
  const made = document.createElement(kind);
  made.textContent = text;
  row.append(made);
  return made;
}

function list(sentences) {
  const table = document.createElement("table");
  const head = table.insertRow();
  for (const title of ["word", "head", "label", "probability", "other heads"]) cell(head, title, "th");
  for (const sentence of sentences) {
    const form = (h) => (h === 0 ? "root" : `${sentence.words[h - 1].form} ${h}`);
    for (const word of sentence.words) {
      const row = table.insertRow();
      const heads = word.heads ?? [];
      const mine = heads.find((other) => other.head === word.head);
      cell(row, `${word.form} ${word.id}`);
      cell(row, word.head === null ? "–" : form(word.head));
      cell(row, word.deprel ?? "–");
      cell(row, mine ? mine.probability.toFixed(3) : "");
      const others = heads.filter((other) => other.head !== word.head && other.probability >= 0.01);
      cell(row, others.map((other) => `${form(other.head)}: ${other.probability.toFixed(3)}`).join(", ")).className = "other";
    }
  }
  alternatives.replaceChildren(table);
}

async function parse() {
  const turn = ++latest;
  const text = box.value;
  if (!text.trim()) {
    trees.replaceChildren();
    alternatives.replaceChildren();
    state.textContent = "";
    return;
  }
  state.className = "";
  state.textContent = "parsing …";
  try {
    const request = { text, model: models.value, marginals: true };
    const [found, drawn] = await Promise.all([ask("parse", request), ask("draw", request)]);
    if (turn !== latest) return; // something newer has been typed
    trees.replaceChildren(
      ...drawn.drawings.map((svg, i) => {
        const image = new Image();
        image.alt = `Tree of: ${found.sentences[i].text}`;
        image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
        return image;
      }),
    );
    list(found.sentences);
    state.textContent = "";
  } catch (error) {
    if (turn !== latest) return;
    state.className = "error";
    state.textContent = error.message;
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(parse, 150);
}

async function start() {
  const known = await (await fetch("models")).json();
  for (const [name, steps] of Object.entries(known.models)) {
    if (steps.includes("tokenizer")) models.add(new Option(name, name));
  }
  box.addEventListener("input", soon);
  models.addEventListener("change", soon);
  parse();
}

start();
