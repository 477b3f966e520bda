// Which key does what; the page gives the commands.
type Plain =
  | "toHead" | "toDependent" | "headByNumber" | "root" | "forbid" | "label" | "free"
  | "only" | "lock" | "down" | "accept" | "skip" | "nextTree" | "explain"
  | "runnersUp" | "editTags" | "structure" | "note" | "search" | "table" | "undo"
  | "redo" | "save" | "help" | "disarm";

export interface Commands extends Record<Plain, () => void> {
  move: (by: number) => void;
  toEnd: (last: boolean) => void;
  doubtful: (back: boolean) => boolean; // whether there is one
  ranked: (rank: number) => void;
  take: (other: number) => void;
  sentence: (by: number) => void;
}

// Carries out what a key stands for; returns whether it stands for anything.
export function onKey(event: KeyboardEvent, commands: Commands, rtl: boolean): boolean {
  const key = event.key;
  const letter = key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (letter === "z") event.shiftKey ? commands.redo() : commands.undo();
    else if (letter === "y") commands.redo();
    else if (letter === "s") commands.save();
    else return false;
    return true;
  }
  if (event.altKey) return false;
  const digit = /^Digit([1-9])$/.exec(event.code);
  if (event.shiftKey && digit) {
    commands.take(Number(digit[1]) - 1);
    return true;
  }
  if (/^[1-9]$/.test(key)) {
    commands.ranked(Number(key));
    return true;
  }
  const forward = rtl ? -1 : 1;
  const table: Record<string, () => void> = {
    arrowright: () => commands.move(forward),
    arrowleft: () => commands.move(-forward),
    arrowup: commands.toHead,
    arrowdown: commands.toDependent,
    home: () => commands.toEnd(false),
    end: () => commands.toEnd(true),
    h: commands.headByNumber,
    r: commands.root,
    x: commands.forbid,
    l: commands.label,
    o: commands.only,
    delete: commands.free,
    backspace: commands.free,
    " ": commands.lock,
    d: commands.down,
    enter: commands.accept,
    s: commands.skip,
    k: commands.nextTree,
    e: commands.explain,
    p: commands.runnersUp,
    u: commands.editTags,
    b: commands.structure,
    n: commands.note,
    "/": commands.search,
    t: commands.table,
    pagedown: () => commands.sentence(1),
    pageup: () => commands.sentence(-1),
    escape: commands.disarm,
    "?": commands.help,
  };
  if (key === "Tab") return commands.doubtful(event.shiftKey);
  const command = table[letter];
  if (!command) return false;
  command();
  return true;
}
