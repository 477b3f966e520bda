// Everything that opens above the page: conflicts, labels, prompts, help, search, explanations, splitting.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ask } from "./api";
import type { Candidate, Decision, Found } from "./types";

export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren; wide?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  // Before the next key: what is typed fast belongs into the dialog, too.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    (box.current?.querySelector<HTMLElement>("input, textarea, [data-first]") ?? box.current)?.focus();
    return () => (before && before.isConnected && before.id ? before : document.getElementById("tree"))?.focus();
  }, []);
  return (
    <div class="shade" onClick={props.onClose}>
      <div
        ref={box}
        class={props.wide ? "dialog wide" : "dialog"}
        role="dialog"
        aria-modal="true"
        aria-label={props.title}
        tabIndex={-1}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key === "Escape") props.onClose();
          event.stopPropagation();
        }}
      >
        <h2>{props.title}</h2>
        {props.children}
      </div>
    </div>
  );
}

export function ConflictDialog(props: { conflict: Decision[]; name: (d: Decision) => string; onDrop: (d: Decision) => void; onClose: () => void }) {
  return (
    <Dialog title="These decisions contradict each other" onClose={props.onClose}>
      <p>No tree obeys all of them. Press a number to drop that decision, or Escape to leave everything as it was.</p>
      <ol
        class="choices"
        tabIndex={0}
        data-first
        onKeyDown={(event) => {
          const at = Number(event.key) - 1;
          if (props.conflict[at]) {
            event.preventDefault();
            props.onDrop(props.conflict[at]);
          }
        }}
      >
        {props.conflict.map((each, i) => (
          <li key={i}>
            <button onClick={() => props.onDrop(each)}>
              <kbd>{i + 1}</kbd> {props.name(each)}
            </button>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

export function LabelMenu(props: { number: number; word: number; form: string; present: string; known: string[]; onLabel: (label: string) => void; onClose: () => void }) {
  const [text, setText] = useState("");
  const [ranked, setRanked] = useState<Candidate[]>([]);
  const [at, setAt] = useState(0);
  useEffect(() => {
    ask<{ labels: Candidate[] }>("labels", { number: props.number, word: props.word })
      .then((found) => setRanked(found.labels))
      .catch(() => undefined);
  }, []);
  const all = ranked.length ? ranked : props.known.map((value) => ({ value, probability: 0, price: null }));
  const shown = all.filter((each) => String(each.value).startsWith(text.trim()));
  const choose = (label: string) => label && props.onLabel(label);
  return (
    <Dialog title={`Label of “${props.form}”`} onClose={props.onClose}>
      <input
        class="filter"
        placeholder="type the beginning of a label"
        aria-label="label"
        role="combobox"
        aria-expanded="true"
        aria-controls="labels"
        aria-activedescendant={shown[at] ? `label-${at}` : undefined}
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(at + 1, shown.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
          else if (event.key === "Enter") choose(shown[at] ? String(shown[at].value) : text.trim());
          else return;
          event.preventDefault();
        }}
      />
      <ul class="labels" id="labels" role="listbox" aria-label="labels">
        {shown.slice(0, 14).map((each, i) => (
          <li
            key={each.value}
            id={`label-${i}`}
            role="option"
            aria-selected={i === at}
            class={[i === at && "at", each.value === props.present && "chosen"].filter(Boolean).join(" ")}
            onClick={() => choose(String(each.value))}
          >
            <span>{each.value}</span>
            <span class="number">{each.price === null ? "" : `price ${each.price.toFixed(2)}`}</span>
          </li>
        ))}
        {!shown.length && text.trim() && <li class="new">“{text.trim()}” is no label of the parser; Enter takes it nevertheless.</li>}
      </ul>
    </Dialog>
  );
}

export function Prompt(props: { title: string; hint: string; start?: string; onEntered: (text: string) => void; onClose: () => void }) {
  const [text, setText] = useState(props.start ?? "");
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <input
        class="filter"
        aria-label={props.title}
        value={text}
        placeholder={props.hint}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          props.onEntered(event.currentTarget.value);
        }}
      />
      <p class="check">{props.hint}. Enter takes it, Escape leaves everything as it was.</p>
    </Dialog>
  );
}

export function SearchDialog(props: { onFound: (found: Found) => void; onClose: () => void }) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found[] | null>(null);
  const [problem, setProblem] = useState("");
  const search = async () => {
    try {
      setFound((await ask<{ found: Found[] }>("search", { query: text })).found);
      setProblem("");
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <Dialog title="Search" onClose={props.onClose}>
      <input
        class="filter"
        aria-label="query"
        placeholder="walk   form:walk   upos:VERB   label:obj   p<0.5"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && search()}
      />
      {problem && <p class="error">{problem}</p>}
      {found && <p class="check">{found.length === 200 ? "The first 200 words" : `${found.length} words`} match all terms.</p>}
      <ul class="labels">
        {found?.slice(0, 50).map((each) => (
          <li key={`${each.number}/${each.word}`}>
            <button onClick={() => props.onFound(each)}>
              sentence {each.number + 1}, word {each.word}: <b>{each.form}</b> {each.label}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

export function TextDialog(props: { title: string; text: string; onClose: () => void }) {
  return (
    <Dialog title={props.title} onClose={props.onClose} wide>
      <pre tabIndex={0} data-first>{props.text}</pre>
    </Dialog>
  );
}

export interface Edit {
  text: string;
  run: () => void;
}

export function StructureDialog(props: { edits: Edit[]; onClose: () => void }) {
  return (
    <Dialog title="Split and join" onClose={props.onClose}>
      <ol
        class="choices"
        tabIndex={0}
        data-first
        onKeyDown={(event) => {
          const edit = props.edits[Number(event.key) - 1];
          if (edit) {
            event.preventDefault();
            edit.run();
          }
        }}
      >
        {props.edits.map((each, i) => (
          <li key={i}>
            <button onClick={each.run}>
              <kbd>{i + 1}</kbd> {each.text}
            </button>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

export const KEYS: [string, string][] = [
  ["← →", "previous, next word"],
  ["↑ ↓", "to the head, to the first dependent"],
  ["Tab, ⇧Tab", "next, previous doubtful word"],
  ["1 – 9", "take the ranked head"],
  ["H, number, Enter", "head by number"],
  ["R", "make the word the root"],
  ["X", "forbid the present arc"],
  ["L", "label, by its first letters"],
  ["O", "change only this arc: take back what the parser moved after the last decision"],
  ["Delete", "drop the decisions on the word"],
  ["Space", "accept all words up to here"],
  ["D", "accept the word and go on from the root down"],
  ["Enter", "accept the sentence and go to the next"],
  ["S", "skip the sentence"],
  ["K", "next-best tree"],
  ["E", "explain the head"],
  ["P", "show runners-up"],
  ["U", "edit UPOS; Tab goes on to XPOS, FEATS, LEMMA"],
  ["B", "split and join words and sentences"],
  ["⇧1, ⇧2", "take the arc of another file"],
  ["N", "note on the sentence"],
  ["/", "search"],
  ["T", "table instead of tree"],
  ["Page ↑ ↓", "previous, next sentence"],
  ["Ctrl-Z, Ctrl-⇧Z", "undo, redo"],
  ["Ctrl-S", "write the file now"],
  ["?", "this help"],
];

export function Help(props: { onClose: () => void }) {
  return (
    <Dialog title="Keys and mouse" onClose={props.onClose} wide>
      <p>
        Click a word, then its head; or drag from the word to its head. Click an arc to see other heads, a label to change it. Alt-click
        forbids an arc. While a word waits for its head, the page shows what else would change; click with Shift to change this
        arc only. Every decision is a constraint: the parser answers with the best tree that obeys all of them.
      </p>
      <dl class="keys" data-first tabIndex={0}>
        {KEYS.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
