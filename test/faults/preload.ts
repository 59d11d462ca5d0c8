import { subscribe } from 'node:diagnostics_channel'
import { type Point, pointChannel } from '#lib/points.ts'
import type { Mutant } from './mutants.ts'
import { replaceExports } from './replace-exports.ts'

/** Loaded before the service by `node --import`. Kills the process at a point, changes its clock, or applies a mutant. */
const mutant = process.env['FAULT_MUTANT'] as Mutant | undefined
if (mutant) replaceExports(mutant)

const MachineDate = globalThis.Date
let clockAheadMs = Number(process.env['FAULT_CLOCK_AHEAD_MS'] ?? 0)

/** Replaces the clock of this process. Timers and `performance` are monotonic and stay correct. */
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

/** Kills the process without a warning, like a power failure. At `in flight` it waits 3 ms, so that the request is sent. */
subscribe(pointChannel, (point) => {
  if (point !== dieAt) return
  const die = () => process.kill(process.pid, 'SIGKILL')
  if (point === 'in flight') setTimeout(die, 3)
  else die()
})
