// Where words and arcs are drawn. Everything is in reading order; right-to-left text is mirrored at the end.
import type { View, Word } from "./types";

export const LEVEL = 30;
export const BASE = 14; // from the lowest arc to the words
export const LABEL_FONT = "12px system-ui, sans-serif";
export const NUMBER_FONT = "10.5px system-ui, sans-serif";
const GAP = 22;
const EDGE = 24;
const LEAST = 46;

export interface Box {
  id: number;
  x: number; // the middle
  width: number;
}

export interface Arc {
  word: Word;
  level: number;
  from: number; // x of the head; for the root, that of the word
  to: number;
}

export interface Picture {
  boxes: Box[];
  arcs: Arc[];
  width: number;
  height: number; // of the part with arcs
}

const canvas = document.createElement("canvas").getContext("2d");

export function textWidth(text: string, font: string): number {
  if (!canvas) return text.length * 9;
  canvas.font = font;
  return canvas.measureText(text).width;
}

function widths(view: View): number[] {
  return view.words.map((word) =>
    Math.max(
      LEAST,
      textWidth(word.form, "17px system-ui, sans-serif"),
      textWidth(word.upos, "11px system-ui, sans-serif"),
      // A short arc needs room for its label and its number.
      Math.abs(word.head - word.id) <= 1 || word.head === 0 ? textWidth(word.label, LABEL_FONT) + 44 : 0,
    ),
  );
}

// Arcs on levels: short ones below, and none on another one.
function levels(words: Word[]): Map<number, number> {
  const spans = words
    .filter((word) => word.head > 0)
    .map((word) => ({ id: word.id, low: Math.min(word.id, word.head), high: Math.max(word.id, word.head) }))
    .sort((a, b) => a.high - a.low - (b.high - b.low) || a.low - b.low);
  const found = new Map<number, number>();
  const rows: { low: number; high: number }[][] = [];
  for (const span of spans) {
    let level = 0;
    // An arc goes above all arcs that it covers or crosses.
    rows.forEach((row, i) => {
      if (row.some((other) => other.low < span.high && span.low < other.high)) level = i + 1;
    });
    (rows[level] ??= []).push(span);
    found.set(span.id, level);
  }
  return found;
}

export function arrange(view: View): Picture {
  const sizes = widths(view);
  const boxes: Box[] = [];
  let x = EDGE;
  view.words.forEach((word, i) => {
    boxes.push({ id: word.id, x: x + sizes[i] / 2, width: sizes[i] });
    x += sizes[i] + GAP;
  });
  const width = x - GAP + EDGE;
  if (view.rtl) for (const box of boxes) box.x = width - box.x;
  const heights = levels(view.words);
  const top = Math.max(0, ...heights.values()) + 1;
  // Arcs that start at one word start at places of their own, the long ones inside.
  const ends = new Map<number, { id: number; at: number }[]>();
  for (const word of view.words) {
    if (word.head > 0) (ends.get(word.head) ?? ends.set(word.head, []).get(word.head)!).push({ id: word.id, at: word.id });
  }
  const start = new Map<number, number>();
  for (const [head, mine] of ends) {
    const box = boxes[head - 1];
    const side = (right: boolean) => mine.filter((end) => end.at > head === right).sort((a, b) => Math.abs(b.at - head) - Math.abs(a.at - head));
    for (const right of [false, true]) {
      side(right).forEach((end, i) => {
        const shift = Math.min(5 + 6 * i, box.width / 2 - 2);
        start.set(end.id, box.x + (right === view.rtl ? -shift : shift));
      });
    }
  }
  const arcs: Arc[] = view.words
    .filter((word) => word.head >= 0)
    .map((word) => ({
      word,
      level: word.head === 0 ? top : (heights.get(word.id) ?? 0),
      from: word.head === 0 ? boxes[word.id - 1].x : (start.get(word.id) ?? boxes[word.head - 1].x),
      to: boxes[word.id - 1].x,
    }));
  return { boxes, arcs, width, height: (top + 1) * LEVEL + BASE + 16 };
}

// The middle of a word at which an arc of another tree ends.
export function middle(picture: Picture, id: number): number {
  return picture.boxes[id - 1].x;
}
