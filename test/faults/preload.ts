import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Point, pointChannel } from '#lib/points.ts'
import { type Mutant, mutants, type Patch } from './patches.ts'

/** Loaded before the service by `node --import`: dies where it is told to, has a wrong clock, or is mutated. */
const mutant = process.env['FAULT_MUTANT'] as Mutant | undefined
const patches: Patch[] = mutant ? mutants[mutant] : []
const root = fileURLToPath(new URL('../..', import.meta.url))

registerHooks({
  load(url, context, nextLoad) {
    const path = url.startsWith('file:') ? fileURLToPath(url).slice(root.length) : ''
    const own = patches.filter(({ file }) => file === path)
    if (own.length === 0) return nextLoad(url, context)
    let source = readFileSync(fileURLToPath(url), 'utf8')
    for (const { find, replace } of own) {
      if (source.split(find).length !== 2) throw new Error(`${path} does not hold exactly once: ${find}`)
      source = source.replace(find, () => replace)
    }
    return { ...nextLoad(url, context), source, shortCircuit: true }
  },
})

const MachineDate = globalThis.Date
let clockAheadMs = Number(process.env['FAULT_CLOCK_AHEAD_MS'] ?? 0)

/** The clock of this machine, as far as this process can tell. Timers and `performance` are monotonic and stay right. */
globalThis.Date = class extends MachineDate {
  constructor(...args: []) {
    super(...(args.length === 0 ? ([MachineDate.now() + clockAheadMs] as unknown as []) : args))
  }
  static override now(): number {
    return MachineDate.now() + clockAheadMs
  }
} as DateConstructor

let dieAt: Point | undefined
process.on('message', (message: { dieAt?: Point; clockAheadMs?: number }) => {
  if (message.dieAt !== undefined) dieAt = message.dieAt
  if (message.clockAheadMs !== undefined) clockAheadMs = message.clockAheadMs
})
process.channel?.unref()

/** Without a word, as if the power had gone. A request in flight has left us a moment ago. */
subscribe(pointChannel, (point) => {
  if (point !== dieAt) return
  const die = () => process.kill(process.pid, 'SIGKILL')
  if (point === 'in flight') setTimeout(die, 3)
  else die()
})
