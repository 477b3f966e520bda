// Requests to the server that this page came from, and to no other.

export async function ask<T>(name: string, body: object = {}): Promise<T> {
  const answer = await fetch(`api/annotate/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  let found: unknown;
  try {
    found = await answer.json();
  } catch {
    throw new Error(`The server answers with status ${answer.status}.`);
  }
  if (!answer.ok) throw new Error((found as { error?: string }).error ?? `The server answers with status ${answer.status}.`);
  return found as T;
}

// Whether a decision is under way: the words may have other numbers when it is done.
export function isBusy(): boolean {
  return (document.body.dataset.busy ?? "0") !== "0";
}
