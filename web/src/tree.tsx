// The tree: words in a row, arcs above them, and everything that the mouse can do.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { arrange, BASE, LABEL_FONT, LEVEL, middle, NUMBER_FONT, textWidth, type Arc, type Picture } from "./layout";
import type { Move, View, Word } from "./types";

export interface TreeProps {
  view: View;
  cursor: number;
  armed: number;
  flashing: number[];
  runnersUp: boolean;
  preview: Move[];
  onLook: (id: number | null) => void;
  onWord: (id: number, alone: boolean) => void;
  onRoot: (alone: boolean) => void;
  onDrag: (from: number, to: number, alone: boolean) => void;
  onArc: (word: number, forbid: boolean) => void;
  onLabel: (word: number, x: number, y: number) => void;
  onNothing: () => void;
}

const RADIUS = 9;
const ROOT = 18; // height of the band that stands for the root

function colour(probability: number | undefined): string {
  if (probability === undefined) return "var(--plain)";
  return `color-mix(in oklab, var(--sure) ${Math.round(100 * probability)}%, var(--unsure))`;
}

function curve(from: number, to: number, y: number, base: number): string {
  const way = to > from ? 1 : -1;
  const r = Math.min(RADIUS, Math.abs(to - from) / 2);
  return `M${from},${base} V${y + r} Q${from},${y} ${from + way * r},${y} H${to - way * r} Q${to},${y} ${to},${y + r} V${base}`;
}

export function percent(probability: number): string {
  return probability >= 0.995 ? "1" : probability.toFixed(2).slice(1);
}

function ArcShape(props: { arc: Arc; picture: Picture; base: number; selected: boolean; flash: boolean; tree: TreeProps }) {
  const { arc, base, selected, flash, tree } = props;
  const { word } = arc;
  const root = word.head === 0;
  const y = root ? ROOT + 8 : base - BASE - arc.level * LEVEL - 8;
  const path = root ? `M${arc.to},${ROOT} V${base}` : curve(arc.from, arc.to, y, base);
  const sure = word.probability;
  const doubt = sure === undefined ? 0 : 1 - sure;
  const x = root ? arc.to : (arc.from + arc.to) / 2;
  const labelY = root ? ROOT + 18 : y;
  const classes = ["arc", selected && "selected", flash && "flash", word.mark.moved && "moved", word.mark.locked && "locked", word.mark.head !== undefined && "decided"];
  const shown = sure === undefined ? "" : percent(sure);
  const weight = word.mark.moved || word.mark.head !== undefined ? "600 " : ""; // as in style.css
  const size =
    textWidth((word.mark.moved ? "↝ " : "") + word.label, weight + LABEL_FONT) + (shown ? textWidth(shown, weight + NUMBER_FONT) + 5 : 0) + 8;
  return (
    <g class={classes.filter(Boolean).join(" ")} data-word={word.id}>
      <path
        class="hit"
        d={path}
        onClick={(event) => {
          event.stopPropagation();
          tree.onArc(word.id, event.altKey);
        }}
      />
      <path class="line" d={path} style={{ stroke: colour(sure), strokeWidth: 1.3 + 2.4 * doubt }} />
      <path class="tip" d={`M${arc.to - 4},${base - 6} L${arc.to + 4},${base - 6} L${arc.to},${base + 1} Z`} style={{ fill: colour(sure) }} />
      <g
        class="label"
        onClick={(event) => {
          event.stopPropagation();
          if (event.altKey) tree.onArc(word.id, true);
          else tree.onLabel(word.id, event.clientX, event.clientY);
        }}
      >
        <rect x={x - size / 2} y={labelY - 9} width={size} height={18} rx={4} />
        <text x={x} y={labelY + 4} text-anchor="middle">
          {word.mark.moved ? "↝ " : ""}
          {word.label}
          {shown && (
            <tspan class="number" dx="5">
              {shown}
            </tspan>
          )}
        </text>
      </g>
      {word.mark.locked && <text class="lock" x={arc.to + 8} y={base - 6} aria-hidden="true">✓</text>}
    </g>
  );
}

function dashed(picture: Picture, id: number, head: number, base: number): string {
  const to = middle(picture, id) - 7;
  return head === 0
    ? `M${to},${ROOT} V${base}`
    : curve(middle(picture, head), to, base - BASE - Math.min(6, Math.abs(head - id)) * 22 - 18, base);
}

function RunnerUp({ word, picture, base }: { word: Word; picture: Picture; base: number }) {
  const second = word.heads?.find(([head]) => head !== word.head);
  if (!second || second[1] < 0.05) return null;
  return <path class="runner" d={dashed(picture, word.id, second[0], base)} style={{ opacity: 0.35 + 0.6 * Math.min(1, second[1] * 2) }} />;
}

export function Tree(props: TreeProps) {
  const { view, cursor, armed } = props;
  const picture = useMemo(() => arrange(view), [view]);
  const [drag, setDrag] = useState<{ word: number; x: number; y: number } | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const base = picture.height;
  const rowHeight = 84 + (view.multiword.length ? 22 : 0) + (view.empty.length ? 20 : 0);
  const findings = useMemo(() => {
    const found = new Map<string, string[]>();
    for (const each of view.findings) found.set(each.word, [...(found.get(each.word) ?? []), each.message]);
    return found;
  }, [view]);

  useEffect(() => {
    const at = picture.boxes[cursor - 1];
    const outer = box.current;
    if (!at || !outer) return;
    if (at.x - outer.scrollLeft < 120 || at.x - outer.scrollLeft > outer.clientWidth - 120) {
      outer.scrollLeft = at.x - outer.clientWidth / 2;
    }
  }, [cursor, picture]);

  const place = (event: PointerEvent) => {
    const frame = svg.current!.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  const under = (event: PointerEvent): number | null => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-target]");
    return found ? Number(found.getAttribute("data-target")) : null;
  };

  return (
    <div class="scroll" ref={box}>
      <svg
        ref={svg}
        width={picture.width}
        height={base + rowHeight}
        aria-hidden="true"
        class={armed ? "arming" : ""}
        onClick={props.onNothing}
        onPointerMove={(event) => drag && setDrag({ ...drag, ...place(event) })}
        onPointerUp={(event) => {
          const target = under(event);
          if (drag && target !== null && target !== drag.word) {
            props.onDrag(drag.word, target, event.shiftKey);
          }
          setDrag(null);
        }}
        onPointerLeave={() => setDrag(null)}
      >
        <g
          class="root"
          data-target={0}
          onPointerEnter={() => props.onLook(0)}
          onPointerLeave={() => props.onLook(null)}
          onClick={(event) => {
            event.stopPropagation();
            props.onRoot(event.shiftKey);
          }}
        >
          <rect x={4} y={2} width={picture.width - 8} height={ROOT - 2} rx={5} />
          <text x={view.rtl ? picture.width - 12 : 12} y={14} text-anchor={view.rtl ? "end" : "start"}>ROOT</text>
        </g>
        {props.runnersUp && view.words.map((word) => <RunnerUp key={word.id} word={word} picture={picture} base={base} />)}
        {props.preview.map((each) => (
          <path key={each.word} class="runner would" d={dashed(picture, each.word, each.head, base)} />
        ))}
        {[...picture.arcs]
          .sort((a, b) => Number(a.word.id === cursor) - Number(b.word.id === cursor))
          .map((arc) => (
            <ArcShape
              key={arc.word.id}
              arc={arc}
              picture={picture}
              base={base}
              selected={arc.word.id === cursor}
              flash={props.flashing.includes(arc.word.id)}
              tree={props}
            />
          ))}
        {picture.boxes.map((at, i) => {
          const word = view.words[i];
          const wrong = findings.get(String(word.id));
          const doubtful = word.probability !== undefined && word.probability < 0.9 && !word.mark.locked;
          return (
            <g
              key={at.id}
              class={["word", at.id === cursor && "cursor", at.id === armed && "armed", word.mark.locked && "locked", doubtful && "doubtful"].filter(Boolean).join(" ")}
              data-target={at.id}
              onPointerEnter={() => props.onLook(at.id)}
              onPointerLeave={() => props.onLook(null)}
              onClick={(event) => {
                event.stopPropagation();
                props.onWord(at.id, event.shiftKey);
              }}
              onPointerDown={(event) => event.button === 0 && setDrag({ word: at.id, ...place(event) })}
            >
              <rect x={at.x - at.width / 2 - 8} y={base + 4} width={at.width + 16} height={62} rx={7} />
              <text class="form" x={at.x} y={base + 26} text-anchor="middle" direction={view.rtl ? "rtl" : "ltr"}>{word.form}</text>
              <text class="tag" x={at.x} y={base + 43} text-anchor="middle">{word.upos}</text>
              <text class="id" x={at.x} y={base + 58} text-anchor="middle">{word.id}</text>
              {wrong && (
                <text class="wrong" x={at.x + at.width / 2 + 1} y={base + 18} text-anchor="middle">
                  ⚠<title>{wrong.join("\n")}</title>
                </text>
              )}
            </g>
          );
        })}
        {view.multiword.map((token) => {
          const a = picture.boxes[token.first - 1];
          const b = picture.boxes[token.last - 1];
          const low = Math.min(a.x - a.width / 2, b.x - b.width / 2);
          const high = Math.max(a.x + a.width / 2, b.x + b.width / 2);
          return (
            <g class="multiword" key={token.first}>
              <path d={`M${low},${base + 70} v5 H${high} v-5`} />
              <text x={(low + high) / 2} y={base + 88} text-anchor="middle">{token.form}</text>
            </g>
          );
        })}
        {view.empty.map((node) => {
          const after = picture.boxes[Math.max(0, Number(node.id.split(".")[0]) - 1)];
          return (
            <text class="empty" key={node.id} x={after.x + after.width / 2 + 8} y={base + rowHeight - 8} text-anchor="middle">
              {node.id} {node.form}
              <title>{`Empty node ${node.id}, enhanced: ${node.deps}`}</title>
            </text>
          );
        })}
        {drag && <line class="rubber" x1={middle(picture, drag.word)} y1={base + 4} x2={drag.x} y2={drag.y} />}
      </svg>
    </div>
  );
}
