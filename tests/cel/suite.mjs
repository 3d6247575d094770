// SPDX-License-Identifier: Apache-2.0
// Prints one of the suites of npm's @bufbuild/cel-spec as JSON: conformance, parsing, checking or comprehension.
import {createRequire} from "node:module";

const require = createRequire(process.cwd() + "/build/npm/node_modules/");
const {tests} = require(`@bufbuild/cel-spec/testdata/${process.argv[2]}.js`);
process.stdout.write(JSON.stringify(tests, (_, value) => Object.is(value, -0) ? "-0" : value));
