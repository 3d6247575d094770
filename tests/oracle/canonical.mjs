// SPDX-License-Identifier: Apache-2.0
// canonical.mjs - reads the lines of canonical_pairs and comes to each canonical form again, with npm's canonicalize.
import { readFileSync } from 'node:fs';
import canonicalize from '../../build/npm/node_modules/canonicalize/lib/canonicalize.js';

let passed = 0;
let failed = 0;

// Split at line feeds only: U+2028 is no end of a line here.
for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (line === '') continue;
  const tab = line.indexOf('\t');
  const expected = canonicalize(JSON.parse(line.slice(0, tab)));
  if (expected === line.slice(tab + 1)) {
    passed++;
  } else if (++failed <= 5) {
    console.log(`document ${line.slice(0, tab)}\nexpected ${expected}\nbut we   ${line.slice(tab + 1)}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
