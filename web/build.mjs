// Makes the bundle that the Python package serves; the same sources give the same bytes.
import { build } from "esbuild";

const target = process.argv[2] ?? "../src/ramify/serve/static";

await build({
  entryPoints: [{ in: "src/main.tsx", out: "annotate" }, { in: "src/style.css", out: "annotate" }],
  outdir: target,
  bundle: true,
  minify: true,
  charset: "utf8",
  target: "es2022",
  format: "iife",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  banner: { js: "/* Made from web/ by npm run build. It contains Preact (MIT licence, github.com/preactjs/preact). */" },
});
