// What the server says, as src/ramify/annotation/views.py and src/ramify/serve/annotate.py make it.

export interface Mark {
  head?: number;
  label?: string;
  forbidden?: number[];
  locked?: boolean;
  moved?: boolean;
}

export interface Word {
  id: number;
  form: string;
  lemma: string;
  upos: string;
  xpos: string;
  feats: string;
  head: number;
  label: string;
  deps: string;
  misc: string;
  probability?: number;
  heads?: [number, number][];
  mark: Mark;
}

export interface Finding {
  word: string;
  column: string;
  message: string;
  check: string;
  warning: boolean;
}

export interface Decision {
  word: number;
  text: string;
  kind: "head" | "not_head" | "label";
  head?: number;
  label?: string;
}

export interface Move {
  word: number;
  head: number;
  label: string;
}

export interface Other {
  name: string;
  heads: number[] | null;
  labels: string[] | null;
  differ: number[];
}

export interface View {
  number: number;
  count: number;
  words: Word[];
  multiword: { first: number; last: number; form: string }[];
  empty: { id: string; form: string; deps: string }[];
  sent_id: string;
  text: string;
  note: string;
  state: string;
  rtl: boolean;
  findings: Finding[];
  others: Other[];
  can_undo: boolean;
  can_redo: boolean;
  proposed: boolean;
  conflict: Decision[];
  moved?: number[];
  what?: string;
  refused?: boolean;
  problem?: string;
  lines?: string[];
  nothing?: boolean;
}

export interface Candidate {
  value: number | string;
  probability: number;
  price: number | null;
}

export interface Facts {
  file: string;
  journal: string;
  format: string;
  count: number;
  labels: string[];
  tags: string[];
  others: string[];
  orders: string[];
  states: Record<string, string>;
}

export interface Progress {
  sentences: number;
  done: number;
  skipped: number;
  looked_at: number;
  expected_errors: number;
  training?: { running: boolean; used: number; report: string }; // with --train-every
}

export interface Found {
  number: number;
  word: number;
  form: string;
  label: string;
}

export type Action = { do: string } & Record<string, unknown>;
