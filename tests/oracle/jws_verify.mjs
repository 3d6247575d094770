// SPDX-License-Identifier: Apache-2.0
// jws_verify.mjs - verifies the signatures of jws_pairs with npm's jose, and refuses them over other bytes.
import { webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { calculateJwkThumbprint, compactVerify, flattenedVerify, importJWK } from '../../build/npm/node_modules/jose/dist/webapi/index.js';

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name

const refused = async (promise) => promise.then(() => false, () => true);

async function check(line) {
  const [x, typ, payload, attached, detached] = line.split(' ');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const key = await importJWK(jwk, 'EdDSA');
  const bytes = Buffer.from(payload, 'base64url');
  const result = await compactVerify(attached, key);
  const [head, middle, signature] = detached.split('.');
  await flattenedVerify({ protected: head, payload, signature }, key);
  const other = Buffer.concat([bytes, Buffer.from('x')]).toString('base64url');
  return Buffer.compare(Buffer.from(result.payload), bytes) === 0
    && middle === ''
    && result.protectedHeader.typ === typ
    && result.protectedHeader.kid === await calculateJwkThumbprint(jwk)
    && await refused(flattenedVerify({ protected: head, payload: other, signature }, key));
}

let passed = 0;
let failed = 0;
for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (line === '') continue;
  const ok = await check(line).catch((error) => { console.log(String(error)); return false; });
  if (ok) passed++;
  else { failed++; console.log(line); }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
