#!/usr/bin/env node
// Says what to do on an old Node, where the TypeScript source would only fail with a syntax error.
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(`voucher-service needs Node 24 or newer; this is Node ${process.versions.node}.\n`)
  process.exit(2)
}
await import('../src/main.ts')
