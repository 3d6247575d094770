// SPDX-License-Identifier: Apache-2.0
// Answers lines {expr, bindings} with what npm's @bufbuild/cel makes of them: {value} or {error}.
import {createRequire} from "node:module";
import {createInterface} from "node:readline";

const require = createRequire(process.cwd() + "/build/npm/node_modules/");
const cel = require("@bufbuild/cel");
const {strings} = require("@bufbuild/cel/ext");
const {create, isMessage} = require("@bufbuild/protobuf");
const {isReflectMessage} = require("@bufbuild/protobuf/reflect");
const {TimestampSchema, DurationSchema} = require("@bufbuild/protobuf/wkt");
const env = cel.celEnv({funcs: strings});

function read(value) {
	const [kind] = Object.keys(value);
	const inner = value[kind];

	switch (kind) {
	case "int": return BigInt(inner);
	case "uint": return cel.celUint(BigInt(inner));
	case "double": return Number(inner);
	case "bytes": return Uint8Array.from(Buffer.from(inner, "hex"));
	case "list": return inner.map(read);
	case "map": return new Map(inner.map(([key, item]) => [read(key), read(item)]));
	case "timestamp": {
		const [, head, digits = ""] = /^([^.Z]*)(?:\.(\d+))?Z$/.exec(inner);
		return create(TimestampSchema, {seconds: BigInt(Date.parse(head + "Z")) / 1000n, nanos: Number(digits.padEnd(9, "0"))});
	}
	case "duration": {
		const [, sign, whole, digits = ""] = /^(-?)(\d+)(?:\.(\d+))?s$/.exec(inner);
		const factor = sign ? -1 : 1;
		return create(DurationSchema, {seconds: BigInt(factor) * BigInt(whole), nanos: factor * Number(digits.padEnd(9, "0"))});
	}
	default: return inner;
	}
}

function fraction(nanos) {
	return nanos ? "." + String(nanos).padStart(9, "0").replace(/0+$/, "") : "";
}

function message(value) {
	if (isMessage(value, TimestampSchema)) {
		const head = new Date(Number(value.seconds) * 1000).toISOString().slice(0, 19);
		return {timestamp: head + fraction(value.nanos) + "Z"};
	}
	if (isMessage(value, DurationSchema)) {
		const total = value.seconds * 1000000000n + BigInt(value.nanos);
		const size = total < 0n ? -total : total;
		return {duration: (total < 0n ? "-" : "") + size / 1000000000n + fraction(Number(size % 1000000000n)) + "s"};
	}
	throw new Error(`a message: ${value.$typeName}`);
}

function real(number) {
	return Object.is(number, -0) ? "-0" : String(number);
}

function write(value) {
	if (value === null) return {null: null};
	if (typeof value === "bigint") return {int: String(value)};
	if (typeof value === "number") return {double: real(value)};
	if (typeof value === "boolean") return {bool: value};
	if (typeof value === "string") return {string: value};
	if (value instanceof Uint8Array) return {bytes: Buffer.from(value).toString("hex")};
	if (cel.isCelUint(value)) return {uint: String(value.value)};
	if (cel.isCelList(value)) return {list: Array.from(value, write)};
	if (cel.isCelMap(value)) return {map: Array.from(value, ([key, item]) => [write(key), write(item)])};
	if (cel.isCelType(value)) return {type: value.name};
	if (isReflectMessage(value)) return message(value.message);
	return message(value);
}

function answer(line) {
	const {expr, bindings = {}} = JSON.parse(line);

	try {
		const bound = Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name, read(value)]));
		const result = cel.plan(env, cel.parse(expr))(bound);
		return cel.isCelError(result) ? {error: result.message} : {value: write(result)};
	} catch (error) {
		return {error: String(error.message)};
	}
}

for await (const line of createInterface({input: process.stdin}))
	process.stdout.write(JSON.stringify(answer(line)) + "\n");
