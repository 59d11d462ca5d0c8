import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Mutant, mutants, type Patch, points } from './patches.ts'

/** Loaded before the service by `node --import`: puts the points into its source, and a mutation if one is asked for. */
const mutant = process.env['FAULT_MUTANT'] as Mutant | undefined
const patches: Patch[] = [...(mutant ? mutants[mutant] : []), ...Object.values(points)]
const root = fileURLToPath(new URL('../..', import.meta.url))

registerHooks({
  load(url, context, nextLoad) {
    const path = url.startsWith('file:') ? fileURLToPath(url).slice(root.length) : ''
    const own = patches.filter(({ file }) => file === path)
    if (own.length === 0) return nextLoad(url, context)
    let source = readFileSync(fileURLToPath(url), 'utf8')
    for (const { find, replace } of own) {
      const isMutated = !source.includes(find) && mutant !== undefined
      if (isMutated) continue // a mutation took the place of a point
      if (source.split(find).length !== 2) throw new Error(`${path} does not hold exactly once: ${find}`)
      source = source.replace(find, () => replace)
    }
    return { ...nextLoad(url, context), source, shortCircuit: true }
  },
})

let dieAt: string | undefined
process.on('message', (message: { dieAt: string }) => {
  dieAt = message.dieAt
})
process.channel?.unref()

Object.assign(globalThis, {
  /** Dies there when it was told to, without a word, as if the power had gone. */
  reach(point: string, afterMs?: number) {
    if (point !== dieAt) return
    const die = () => process.kill(process.pid, 'SIGKILL')
    if (afterMs === undefined) die()
    else setTimeout(die, afterMs)
  },
})
