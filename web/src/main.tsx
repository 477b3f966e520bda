// The page: one sentence at a time, and the state of the session.
import { render } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, isBusy } from "./api";
import { ConflictDialog, Help, LabelMenu, Prompt, SearchDialog, StructureDialog, TextDialog, type Edit } from "./dialogs";
import { onKey, type Commands } from "./keys";
import { headName, Panel } from "./panel";
import { TableView } from "./table";
import { Tree } from "./tree";
import type { Action, Candidate, Decision, Facts, Move, Progress, View } from "./types";

const DOUBTFUL = 0.9;
const FLASH = 1600; // milliseconds
const IDLE = 1500; // until the file is written

type Open =
  | { kind: "help" | "search" | "note" | "head" | "structure" }
  | { kind: "label"; word: number }
  | { kind: "text"; title: string; text: string }
  | { kind: "conflict"; conflict: Decision[]; action: Action };

function described(view: View, id: number): string {
  const word = view.words[id - 1];
  if (!word) return "";
  const sure = word.probability === undefined ? "" : `, ${Math.round(100 * word.probability)} percent`;
  const marks = [word.mark.locked && "locked", word.mark.moved && "moved", word.mark.head !== undefined && "decided"].filter(Boolean);
  const wrong = view.findings.filter((each) => each.word === String(id)).map((each) => each.message);
  return [`word ${id}: ${word.form}, ${word.upos}, ${word.label} of ${headName(view, word.head)}${sure}`, ...marks, ...wrong].join(", ");
}

// The highest word in the tree that nothing is decided about; 0 if there is none.
function highest(view: View, except = 0): number {
  const depth = (id: number) => {
    let steps = 0;
    for (let at = id; at > 0 && steps <= view.words.length; steps++) at = view.words[at - 1].head;
    return steps;
  };
  const open = view.words.filter((each) => !each.mark.locked && each.mark.head === undefined && each.id !== except);
  return open.sort((a, b) => depth(a.id) - depth(b.id) || a.id - b.id)[0]?.id ?? 0;
}

function App() {
  const [facts, setFacts] = useState<Facts | null>(null);
  const [view, setView] = useState<View | null>(null);
  const [cursor, setCursor] = useState(1);
  const [armed, setArmed] = useState(0);
  const [open, setOpen] = useState<Open | null>(null);
  const [order, setOrder] = useState<number[]>([]);
  const [kind, setKind] = useState("file");
  const [progress, setProgress] = useState<Progress | null>(null);
  const [status, setStatus] = useState("");
  const [problem, setProblem] = useState("");
  const [said, setSaid] = useState("");
  const [flashing, setFlashing] = useState<number[]>([]);
  const [runnersUp, setRunnersUp] = useState(false);
  const [table, setTable] = useState(false);
  const tree = useRef(1); // which of the best trees is shown
  const last = useRef<Action | null>(null); // the last decision, if it can be made again for one arc alone
  const [preview, setPreview] = useState<Move[]>([]); // what would change besides the word that is armed
  const previewed = useRef("");
  const ranked = useRef<number[]>([]); // heads of the word under the cursor, as the panel lists them
  const timers = useRef({ flash: 0, save: 0 });
  const queue = useRef(Promise.resolve());
  const pending = useRef(0);

  const shown = useRef<number | null>(null);
  shown.current = view?.number ?? null;
  const refreshProgress = useCallback(() => ask<Progress>("progress").then(setProgress, () => undefined), []);

  const say = useCallback((text: string) => setSaid((before) => (before === text ? text + "\u00a0" : text)), []);

  // One thing after the other: keys that come while the server works are not lost.
  const guarded = useCallback((work: () => Promise<void>): Promise<void> => {
    pending.current += 1;
    document.body.dataset.busy = String(pending.current);
    queue.current = queue.current
      .then(work)
      .then(
        () => setProblem(""),
        (error: Error) => setProblem(error.message),
      )
      .then(() => {
        pending.current -= 1;
        document.body.dataset.busy = String(pending.current);
      });
    return queue.current;
  }, []);

  // A parser that was trained in the background: its result is announced, and what is shown comes from it.
  const training = progress?.training;
  useEffect(() => {
    if (training?.report) say(`Training: ${training.report}`);
  }, [training?.report]);
  useEffect(() => {
    if (!training?.used) return;
    ask<Facts>("facts").then(setFacts, () => undefined);
    guarded(async () => {
      if (shown.current !== null) setView(await ask<View>("view", { number: shown.current }));
    });
  }, [training?.used]);

  const write = useCallback(async () => {
    clearTimeout(timers.current.save);
    try {
      await ask("save");
      setStatus("file written");
    } catch (error) {
      setProblem((error as Error).message);
    }
  }, []);

  const changed = useCallback(
    (found: View) => {
      setStatus("saved");
      clearTimeout(timers.current.save);
      timers.current.save = window.setTimeout(write, IDLE);
      const moved = found.moved ?? [];
      setFlashing(moved);
      clearTimeout(timers.current.flash);
      if (moved.length) timers.current.flash = window.setTimeout(() => setFlashing([]), FLASH);
      refreshProgress();
    },
    [write, refreshProgress],
  );

  const show = useCallback((found: View, word?: number) => {
    setView(found);
    setArmed(0);
    setPreview([]);
    previewed.current = "";
    const last = found.words?.length ?? 1;
    setCursor((before) => Math.max(1, Math.min(word ?? before, last)));
  }, []);

  const go = useCallback(
    (number: number, word = 1) =>
      guarded(async () => {
        const found = await ask<View>("view", { number });
        tree.current = 1;
        last.current = null;
        setFlashing([]);
        show(found, word);
        const text = found.problem ?? `sentence ${number + 1} of ${found.count}: ${found.text}`;
        say(text);
      }),
    [guarded, show, say],
  );

  const act = useCallback(
    (action: Action, word?: number) =>
      guarded(async () => {
        if (!view) return;
        const begun = performance.now();
        const found = await ask<View>("act", { number: view.number, action });
        if (found.refused) {
          setOpen({ kind: "conflict", conflict: found.conflict, action });
          say(`These decisions contradict each other: ${found.conflict.map((each) => each.text).join("; ")}`);
          return;
        }
        if (action.do !== "tree") tree.current = 1;
        last.current = action;
        show(found, word);
        changed(found);
        setOpen(null);
        const moved = found.moved ?? [];
        say(`${found.what}; ${moved.length ? `the parser moved the words ${moved.join(", ")}` : "nothing else moved"}`);
        requestAnimationFrame(() => setTimeout(() => performance.measure("click to repaint", { start: begun })));
      }),
    [view, guarded, show, changed, say],
  );

  // Shows what a decision would change, while the mouse rests on a head.
  const look = useCallback(
    (action: Action | null) => {
      const key = action && view ? JSON.stringify([view.number, action]) : "";
      if (key === previewed.current) return;
      previewed.current = key;
      setPreview([]);
      if (!action || !view) return;
      setTimeout(() => {
        if (previewed.current !== key || isBusy()) return;
        ask<{ moves: Move[] }>("preview", { number: view.number, action }).then(
          (found) => previewed.current === key && setPreview(found.moves),
          () => undefined,
        );
      }, 60);
    },
    [view],
  );

  const turn = useCallback(
    (name: "undo" | "redo") =>
      guarded(async () => {
        last.current = null;
        const found = await ask<View>(name);
        if (found.nothing) {
          say(`There is nothing to ${name}.`);
          setStatus(`nothing to ${name}`);
          return;
        }
        show(found);
        changed(found);
        say(`${name}: ${found.what}`);
      }),
    [guarded, show, changed, say],
  );

  const reorder = useCallback(
    (next: string) =>
      guarded(async () => {
        setOrder((await ask<{ order: number[] }>("order", { order: next })).order);
        setKind(next);
      }),
    [guarded],
  );

  useEffect(() => {
    guarded(async () => {
      const found = await ask<Facts>("facts");
      setFacts(found);
      document.title = `${found.file} – ramify`;
      const numbers = Array.from({ length: found.count }, (_, i) => i);
      setOrder(numbers);
      const first = numbers.find((i) => !found.states[i]) ?? 0;
      show(await ask<View>("view", { number: first }), 1);
    });
    refreshProgress();
    const timer = setInterval(refreshProgress, 5000);
    return () => clearInterval(timer);
  }, []);

  // The keys work from the start, and after sentences that have no tree.
  const ready = !!view && !view.problem;
  useEffect(() => {
    if (ready && !open) document.getElementById("tree")?.focus({ preventScroll: true });
  }, [ready]);

  const position = useMemo(() => (view ? order.indexOf(view.number) : 0), [order, view?.number]);

  const step = useCallback(
    async (by: number) => {
      const next = order[position + by];
      if (next === undefined) say(by > 0 ? "This is the last sentence." : "This is the first sentence.");
      else await go(next);
    },
    [order, position, go, say],
  );

  // What probably comes next is computed while nothing is asked for; the server remembers it.
  const prepare = useCallback((name: string, body: object) => {
    const timer = setTimeout(() => !isBusy() && ask(name, body).catch(() => undefined), 250);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (order[position + 1] !== undefined) return prepare("view", { number: order[position + 1] });
  }, [view?.number, order]);

  const word = view?.words?.[cursor - 1];

  const to = useCallback(
    (id: number) => {
      if (!view?.words?.[id - 1]) return;
      setCursor(id);
      say(described(view, id));
    },
    [view, say],
  );

  const commands: Commands | null = !view || !word ? null : {
      move: (by) => to(cursor + by),
      toHead: () => to(word.head),
      toDependent: () => to(view.words.find((each) => each.head === cursor)?.id ?? 0),
      toEnd: (last) => to(last ? view.words.length : 1),
      doubtful: (back) => {
        const open = (each: (typeof view.words)[0]) =>
          !each.mark.locked && each.mark.head === undefined && ((each.probability ?? 1) < DOUBTFUL || !!each.mark.moved);
        const left = view.words.filter((each) => (back ? each.id < cursor : each.id > cursor) && open(each));
        const next = back ? left[left.length - 1] : left[0];
        if (next) to(next.id);
        return !!next;
      },
      ranked: async (rank) => {
        let heads = ranked.current;
        if (heads.length < rank) {
          // Its own decision leaves one head only, until the panel shows what there is without it.
          await guarded(async () => {
            const found = await ask<{ heads: Candidate[] }>("heads", { number: view.number, word: cursor });
            heads = found.heads.map((each) => Number(each.value));
          });
        }
        if (heads[rank - 1] !== undefined) await act({ do: "head", word: cursor, head: heads[rank - 1] });
        else say(`There are only ${heads.length} heads to choose from.`);
      },
      headByNumber: () => setOpen({ kind: "head" }),
      root: () => act({ do: "head", word: cursor, head: 0 }),
      forbid: () => act({ do: "forbid", word: cursor }),
      label: () => setOpen({ kind: "label", word: cursor }),
      free: () => act({ do: "free", word: cursor }),
      only: async () => {
        const again = last.current;
        if (!again || !["head", "label", "forbid"].includes(again.do) || again.alone) {
          say("There is no decision whose other changes could be taken back.");
          return;
        }
        await turn("undo");
        await act({ ...again, alone: true });
      },
      lock: () => act({ do: "lock", through: cursor }, cursor + 1),
      down: () => {
        const first = highest(view);
        if (!first) say("All words are accepted.");
        else if (cursor !== first) to(first);
        else act({ do: "lock", word: cursor }, highest(view, cursor) || cursor);
      },
      accept: async () => {
        await act({ do: "accept" });
        await step(1);
      },
      skip: async () => {
        await act({ do: "skip" });
        await step(1);
      },
      nextTree: () => {
        tree.current += 1;
        act({ do: "tree", k: tree.current }).then(() => undefined);
      },
      explain: () =>
        guarded(async () => {
          const found = await ask<{ text: string }>("explain", { number: view.number, word: cursor });
          setOpen({ kind: "text", title: `Why ${headName(view, word.head)} is the head of ${word.form}`, text: found.text });
        }),
      runnersUp: () => setRunnersUp(!runnersUp),
      editTags: () => document.querySelector<HTMLInputElement>("input[data-column=UPOS]")?.select(),
      structure: () => setOpen({ kind: "structure" }),
      take: (other) => {
        const file = view.others[other];
        if (file?.heads && file.labels) act({ do: "head", word: cursor, head: file.heads[cursor - 1], label: file.labels[cursor - 1] });
      },
      note: () => setOpen({ kind: "note" }),
      search: () => setOpen({ kind: "search" }),
      table: () => setTable(!table),
      sentence: step,
      undo: () => turn("undo"),
      redo: () => turn("redo"),
      save: write,
      help: () => setOpen({ kind: "help" }),
      disarm: () => setArmed(0),
    };

  // What works without words, too: in sentences that cannot be read.
  const always: Partial<Commands> = { sentence: step, undo: () => turn("undo"), redo: () => turn("redo"), save: write };

  const press = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (open || target.closest("input, select, textarea, [role=dialog]")) return;
    if (target.closest("button") && (event.key === "Enter" || event.key === " " || event.key === "Tab")) return;
    if (event.key === "Tab" && target.id !== "tree") return;
    const found = commands ?? (always as Commands);
    try {
      if (onKey(event, found, !!view?.rtl)) event.preventDefault();
    } catch (error) {
      if (commands) throw error; // else the key needs words, and there are none
    }
  };
  useLayoutEffect(() => {
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  });

  if (!facts || !view) return <p class="loading">{problem || "Loading …"}</p>;

  const edits: Edit[] = [];
  if (word) {
    const run = (action: Action) => () => act(action);
    for (let at = 1; at < Math.min(word.form.length, 12); at++) {
      const parts = `${word.form.slice(0, at)} + ${word.form.slice(at)}`;
      edits.push({ text: `split into ${parts}`, run: run({ do: "split_token", word: cursor, at }) });
    }
    const offered = edits.length;
    edits.splice(0, offered, ...edits.slice(0, 6));
    if (cursor < view.words.length) {
      const next = view.words[cursor];
      edits.unshift({ text: `join with ${next.form}`, run: run({ do: "join_tokens", word: cursor }) });
    }
    if (cursor > 1) edits.unshift({ text: `start a new sentence at ${word.form}`, run: run({ do: "split_sentence", word: cursor }) });
    if (view.number + 1 < view.count) edits.unshift({ text: "join with the next sentence", run: run({ do: "join_sentences" }) });
  }

  const nameOf = (each: Decision) => {
    const form = view.words[each.word - 1]?.form ?? "?";
    const asked = open?.kind === "conflict" && open.action.word === each.word && each.kind !== "not_head";
    const locked = asked ? " (asked for now)" : view.words[each.word - 1]?.mark.locked ? " (passed)" : "";
    if (each.kind === "label") return `${form} ${each.word} has the label ${each.label}${locked}`;
    return `${form} ${each.word} ${each.kind === "head" ? "has the head" : "does not have the head"} ${headName(view, each.head ?? 0)}${locked}`;
  };

  const done = progress ? progress.done / Math.max(1, progress.sentences) : 0;
  return (
    <>
      <header>
        <strong class="file">{facts.file}</strong>
        <nav aria-label="sentences">
          <button onClick={() => step(-1)} aria-label="previous sentence">◀</button>
          <span>
            {view.number + 1} / {view.count}
          </span>
          <button onClick={() => step(1)} aria-label="next sentence">▶</button>
        </nav>
        <label>
          order{" "}
          <select value={kind} onChange={(event) => reorder(event.currentTarget.value)}>
            {facts.orders.map((each) => (
              <option key={each} value={each}>
                {each.replace("-", " ")}
              </option>
            ))}
          </select>
        </label>
        {progress && (
          <span class="progress" title={`${progress.looked_at} sentences looked at`}>
            <progress value={done} aria-label="sentences done" /> {progress.done} done, about {Math.round(progress.expected_errors)} errors left
          </span>
        )}
        {training && (training.running || training.report) && (
          <span class="training" title={training.report}>
            {training.running ? "training …" : training.used ? "uses a parser trained here" : "the trained parser is not better"}
          </span>
        )}
        <span class={status ? "status" : "status empty"} data-status={status}>{status && `✓ ${status}`}</span>
        <span class="space" />
        <button onClick={() => setOpen({ kind: "search" })}>Search</button>
        <button onClick={() => turn("undo")} disabled={!view.can_undo}>Undo</button>
        <button onClick={() => turn("redo")} disabled={!view.can_redo}>Redo</button>
        <button onClick={() => setOpen({ kind: "help" })}>Help</button>
      </header>
      {problem && (
        <p class="problem" role="alert">
          {problem} <button class="quiet" onClick={() => setProblem("")}>close</button>
        </p>
      )}
      <main>
        <p class="text" dir={view.rtl ? "rtl" : "ltr"}>
          {view.state && <span class={`state ${view.state}`}>{view.state}</span>}
          {view.proposed && <span class="state">the parser's proposal</span>}
          {view.sent_id && <span class="name">{view.sent_id}</span>}
          {view.text}
        </p>
        {view.problem ? (
          <div class="raw">
            <p class="error">This sentence cannot be read, and is left as it is: {view.problem}</p>
            <pre>{view.lines?.join("\n")}</pre>
          </div>
        ) : (
          <div
            id="tree"
            class="drawing"
            role="application"
            tabIndex={0}
            aria-label="dependency tree: arrows move, question mark for help"
            aria-roledescription="dependency tree"
          >
            {table ? (
              <TableView view={view} cursor={cursor} onWord={to} />
            ) : (
              <Tree
                view={view}
                cursor={cursor}
                armed={armed}
                flashing={flashing}
                runnersUp={runnersUp}
                preview={preview}
                onLook={(id) => look(armed && id !== null && id !== armed ? { do: "head", word: armed, head: id } : null)}
                onWord={(id, alone) => {
                  document.getElementById("tree")?.focus({ preventScroll: true });
                  if (armed && armed !== id) act({ do: "head", word: armed, head: id, ...(alone && { alone }) }, armed);
                  else {
                    setArmed(armed === id ? 0 : id);
                    to(id);
                  }
                }}
                onRoot={(alone) => armed && act({ do: "head", word: armed, head: 0, ...(alone && { alone }) }, armed)}
                onDrag={(from, head, alone) => act({ do: "head", word: from, head, ...(alone && { alone }) }, from)}
                onArc={(id, forbid) => {
                  to(id);
                  setArmed(0);
                  if (forbid) act({ do: "forbid", word: id }, id);
                }}
                onLabel={(id) => {
                  to(id);
                  setOpen({ kind: "label", word: id });
                }}
                onNothing={() => setArmed(0)}
              />
            )}
          </div>
        )}
        {armed > 0 && (
          <p class="hint">
            Now click the head of <b>{view.words[armed - 1]?.form}</b>, or ROOT. Escape leaves it.{" "}
            {preview.length > 0 && (
              <>
                The parser would also change{" "}
                {preview.map((each) => `${view.words[each.word - 1]?.form} (${each.label} of ${headName(view, each.head)})`).join(", ")}
                ; click with Shift to change this arc only.
              </>
            )}
          </p>
        )}
        {word && (
          <Panel
            view={view}
            word={word}
            tags={facts.tags}
            onHead={(head, alone) => act({ do: "head", word: cursor, head, ...(alone && { alone }) })}
            onLook={(head) => look(head === null || head === word.head ? null : { do: "head", word: cursor, head })}
            onForbid={(head) => act({ do: "forbid", word: cursor, head })}
            onCell={(column, value) => act({ do: "cell", row: String(cursor), column, value, word: cursor })}
            onTake={(other) => commands?.take(other)}
            onFree={() => act({ do: "free", word: cursor })}
            onRanked={(heads) => (ranked.current = heads)}
            onPriced={(head) => prepare("preview", { number: view.number, action: { do: "head", word: cursor, head } })}
          />
        )}
      </main>
      <datalist id="tags">
        {facts.tags.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
      <footer>
        <kbd>1</kbd>–<kbd>9</kbd> head <kbd>L</kbd> label <kbd>X</kbd> forbid <kbd>Space</kbd> accept to here <kbd>Tab</kbd> next doubtful{" "}
        <kbd>Enter</kbd> accept sentence <kbd>Ctrl-Z</kbd> undo <kbd>?</kbd> all keys
      </footer>
      <div class="spoken" aria-live="polite">{said}</div>
      {open?.kind === "help" && <Help onClose={() => setOpen(null)} />}
      {open?.kind === "search" && (
        <SearchDialog
          onClose={() => setOpen(null)}
          onFound={(found) => {
            setOpen(null);
            go(found.number, found.word);
          }}
        />
      )}
      {open?.kind === "note" && (
        <Prompt
          title="Note on this sentence"
          hint="One line; an empty one removes the note"
          start={view.note}
          onEntered={(text) => act({ do: "note", text })}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.kind === "head" && word && (
        <Prompt
          title={`Head of “${word.form}”`}
          hint="Number of the head; 0 is the root"
          onEntered={(text) => {
            if (/^\d+$/.test(text.trim())) act({ do: "head", word: cursor, head: Number(text) });
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.kind === "structure" && <StructureDialog edits={edits} onClose={() => setOpen(null)} />}
      {open?.kind === "text" && <TextDialog title={open.title} text={open.text} onClose={() => setOpen(null)} />}
      {open?.kind === "label" && view.words[open.word - 1] && (
        <LabelMenu
          number={view.number}
          word={open.word}
          form={view.words[open.word - 1].form}
          present={view.words[open.word - 1].label}
          known={facts.labels}
          onLabel={(label) => act({ do: "label", word: open.word, label })}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.kind === "conflict" && (
        <ConflictDialog
          conflict={open.conflict}
          name={nameOf}
          onDrop={(each) => {
            const without = [...((open.action.without as Decision[]) ?? []), each];
            const mine = each.word === open.action.word && each.kind !== "not_head";
            setOpen(null);
            if (!mine) act({ ...open.action, without });
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

render(<App />, document.getElementById("page")!);
