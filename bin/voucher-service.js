#!/usr/bin/env node
import { existsSync } from 'node:fs'

// Says what to do on an old Node, where the service would only fail with a syntax error.
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(`voucher-service needs Node 24 or newer; this is Node ${process.versions.node}.\n`)
  process.exit(2)
}
// A clone runs its source, which may be newer than the last build. A release has only the built service.
const isClone = existsSync(new URL('../src/main.ts', import.meta.url))
await import(isClone ? '../src/main.ts' : '../dist/service/main.js')
