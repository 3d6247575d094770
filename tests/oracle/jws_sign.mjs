// SPDX-License-Identifier: Apache-2.0
// jws_sign.mjs - signs with npm's jose, under both names of the algorithm, in the lines that jws_pairs reads. Of every
// four lines only the first is right: the others have another key, other bytes, or a letter changed.
import { randomBytes, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair } from '../../build/npm/node_modules/jose/dist/webapi/index.js';

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name

const count = Number(readFileSync(0, 'utf8'));
const pair = async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const jwk = await exportJWK(publicKey);
  return { jwk, privateKey, kid: await calculateJwkThumbprint(jwk) };
};

for (let i = 0; i < count; i++) {
  const { jwk, privateKey, kid } = await pair();
  const payload = randomBytes(1 + i % 200);
  const typ = `oracle-${i}`;
  const header = { alg: i % 2 ? 'EdDSA' : 'Ed25519', kid, typ };
  const attached = await new CompactSign(payload).setProtectedHeader(header).sign(privateKey);
  const [head, , signature] = attached.split('.');
  const detached = `${head}..${signature}`;
  const changed = `${head}..${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`;
  const text = payload.toString('base64url');
  const other = randomBytes(payload.length + 1).toString('base64url');
  console.log(`${jwk.x} ${typ} ${text} ${attached} ${detached}`);
  console.log(`${(await pair()).jwk.x} ${typ} ${text} ${attached} ${detached}`);
  console.log(`${jwk.x} ${typ} ${other} ${attached} ${detached}`);
  console.log(`${jwk.x} ${typ} ${text} ${attached} ${changed}`);
}
