// The same sentence as a table, for screen readers and for those who like tables.
import { headName } from "./panel";
import type { View } from "./types";

export function TableView({ view, cursor, onWord }: { view: View; cursor: number; onWord: (id: number) => void }) {
  const columns = ["", "form", "lemma", "UPOS", "XPOS", "features", "head", "label", "probability", "enhanced", "other"];
  return (
    <div class="scroll">
      <table class="words" dir={view.rtl ? "rtl" : "ltr"}>
        <thead>
          <tr>
            {columns.map((each) => (
              <th scope="col" key={each}>
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {view.words.map((word) => (
            <tr key={word.id} class={word.id === cursor ? "cursor" : ""} aria-current={word.id === cursor} onClick={() => onWord(word.id)}>
              <th scope="row">{word.id}</th>
              <td>{word.form}</td>
              <td>{word.lemma}</td>
              <td>{word.upos}</td>
              <td>{word.xpos}</td>
              <td>{word.feats}</td>
              <td>{headName(view, word.head)}</td>
              <td>{word.label}</td>
              <td>{word.probability?.toFixed(3)}</td>
              <td>{word.deps}</td>
              <td>{word.misc}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
