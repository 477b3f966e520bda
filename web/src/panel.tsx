// What is known of the word under the cursor: its cells, its heads with probability and price, messages, other files.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { ask, isBusy } from "./api";
import type { Candidate, Finding, View, Word } from "./types";

const COLUMNS = ["UPOS", "XPOS", "FEATS", "LEMMA"] as const;
type Column = (typeof COLUMNS)[number];

export function headName(view: View, head: number): string {
  return head === 0 ? "ROOT" : head < 0 ? "none" : `${view.words[head - 1]?.form ?? "?"} ${head}`;
}

interface PanelProps {
  view: View;
  word: Word;
  tags: string[];
  onHead: (head: number, alone: boolean) => void;
  onLook: (head: number | null) => void;
  onForbid: (head: number) => void;
  onCell: (column: Column, value: string) => void;
  onTake: (other: number) => void;
  onFree: () => void;
  onRanked: (heads: number[]) => void;
  onPriced: (rival: number) => () => void; // the likeliest head that the word does not have
}

function Cell(props: { word: Word; column: Column; tags: string[]; onCell: PanelProps["onCell"] }) {
  const { word, column } = props;
  const value = { UPOS: word.upos, XPOS: word.xpos, FEATS: word.feats, LEMMA: word.lemma }[column];
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value, word.id]);
  const commit = () => text.trim() && text.trim() !== value && props.onCell(column, text.trim());
  return (
    <label class="cell">
      <span>{column}</span>
      <input
        value={text}
        list={column === "UPOS" ? "tags" : undefined}
        spellcheck={false}
        data-column={column}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") document.getElementById("tree")?.focus(); // which commits
          if (event.key === "Escape") {
            setText(value);
            event.currentTarget.value = value;
            requestAnimationFrame(() => document.getElementById("tree")?.focus());
          }
          event.stopPropagation();
        }}
      />
    </label>
  );
}

type HeadsProps = Pick<PanelProps, "view" | "word" | "onHead" | "onLook" | "onForbid" | "onRanked" | "onPriced">;

function Heads({ view, word, onHead, onLook, onForbid, onRanked, onPriced }: HeadsProps) {
  const [priced, setPriced] = useState<{ key: string; heads: Candidate[] } | null>(null);
  const key = `${view.number}/${word.id}/${word.head}/${JSON.stringify(view.words.map((each) => each.mark))}`;
  useEffect(() => {
    // Prices cost a parse each, so they are asked for when the cursor rests, and no decision is under way.
    let timer = 0;
    const rest = () => {
      timer = window.setTimeout(() => {
        if (isBusy()) return rest();
        ask<{ heads: Candidate[] }>("heads", { number: view.number, word: word.id })
          .then((found) => setPriced({ key, heads: found.heads }))
          .catch(() => undefined);
      }, 180);
    };
    rest();
    return () => clearTimeout(timer);
  }, [key]);
  const known = priced?.key === key ? priced.heads : null;
  const rows = known ?? (word.heads ?? []).map(([value, probability]) => ({ value, probability, price: undefined }));
  useEffect(() => {
    const rival = known?.find((each) => each.value !== word.head);
    if (rival) return onPriced(Number(rival.value));
  }, [priced, key]);
  // The keys 1 to 9 take what is shown here, in the same order.
  useLayoutEffect(() => onRanked(rows.map((each) => Number(each.value))), [priced, key]);
  return (
    <table class="heads" aria-busy={!known}>
      <caption>Heads of “{word.form}”</caption>
      <thead>
        <tr>
          <th scope="col">key</th>
          <th scope="col">head</th>
          <th scope="col">probability</th>
          <th scope="col">price</th>
          <th scope="col" />
        </tr>
      </thead>
      <tbody>
        {rows.map((each, i) => (
          <tr key={each.value} class={each.value === word.head ? "chosen" : ""}>
            <td>
              <kbd>{i + 1}</kbd>
            </td>
            <td>
              <button
                onClick={(event) => onHead(Number(each.value), event.shiftKey)}
                onPointerEnter={() => onLook(Number(each.value))}
                onPointerLeave={() => onLook(null)}
              >
                {headName(view, Number(each.value))}
              </button>
            </td>
            <td>
              <span class="bar">
                <span style={{ width: `${100 * each.probability}%` }} />
              </span>{" "}
              {each.probability.toFixed(3)}
            </td>
            <td>{each.price === undefined ? "…" : each.price === null ? "none" : each.price.toFixed(2)}</td>
            <td>
              <button class="quiet" title="Forbid this head" onClick={() => onForbid(Number(each.value))}>
                ✕
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Messages({ findings, word }: { findings: Finding[]; word: Word }) {
  const mine = findings.filter((each) => each.word === String(word.id));
  const rest = findings.filter((each) => each.word !== String(word.id));
  const show = (each: Finding) => (
    <li class={each.warning ? "warning" : "error"}>
      {each.word && <b>word {each.word}: </b>}
      {each.message} <span class="check">{each.check}</span>
    </li>
  );
  if (!findings.length) return <p class="fine">The rules of UD find nothing in this sentence.</p>;
  return <ul class="messages">{[...mine, ...rest].map(show)}</ul>;
}

function Others({ view, word, onTake }: Pick<PanelProps, "view" | "word" | "onTake">) {
  if (!view.others.length) return null;
  return (
    <section>
      <h2>Other files</h2>
      <ul class="others">
        {view.others.map((other, i) => (
          <li key={other.name}>
            <button disabled={!other.heads} onClick={() => onTake(i)}>
              <kbd>⇧{i + 1}</kbd> {other.name}
            </button>{" "}
            {other.heads && other.labels
              ? `${headName(view, other.heads[word.id - 1])}, ${other.labels[word.id - 1]}`
              : "has other words here"}
            {other.differ.includes(word.id) && <b class="differs"> differs</b>}
            <span class="check"> {other.differ.length} of {view.words.length} words differ</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Panel(props: PanelProps) {
  const { view, word } = props;
  const decided = [
    word.mark.head !== undefined && "head chosen",
    word.mark.label !== undefined && "label chosen",
    word.mark.forbidden?.length && `not ${word.mark.forbidden.map((head) => headName(view, head)).join(", ")}`,
    word.mark.locked && "locked",
    word.mark.moved && "moved by the parser",
  ].filter(Boolean);
  return (
    <div class="panel">
      <section>
        <Heads {...props} />
      </section>
      <section>
        <h2>
          {word.id} {word.form}
        </h2>
        <div class="cells">
          {COLUMNS.map((column) => (
            <Cell key={column} word={word} column={column} tags={props.tags} onCell={props.onCell} />
          ))}
        </div>
        <p class="decided">
          {decided.length ? decided.join(", ") : "nothing decided"}
          {decided.length > 0 && (
            <>
              {" "}
              <button class="quiet" onClick={props.onFree}>drop</button>
            </>
          )}
        </p>
        {word.deps !== "_" && <p class="deps">enhanced: {word.deps}</p>}
        {word.misc !== "_" && <p class="deps">misc: {word.misc}</p>}
      </section>
      <section>
        <h2>Rules of UD</h2>
        <Messages findings={view.findings} word={word} />
        {view.note && <p class="note">Note: {view.note}</p>}
      </section>
      <Others {...props} />
    </div>
  );
}
