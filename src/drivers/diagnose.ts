import type { LayerCheck, LayerFinding } from './driver.ts'

/** `ms` is null for a layer that needed no request of its own, or was not tried. */
export type LayerResult = { layer: string; result: LayerFinding['result']; ms: number | null; detail: string }

/** Runs the checks of a driver until a layer fails. Layers after that are reported as not tried. */
export async function diagnose(checks: LayerCheck[]): Promise<LayerResult[]> {
  const results = new Map<string, LayerResult>()
  for (const layer of checks.flatMap(({ layers }) => layers))
    results.set(layer, { layer, result: 'not tried', ms: null, detail: '' })
  for (const { run } of checks) {
    const startedAt = performance.now()
    const findings = await run()
    const ms = Math.round(performance.now() - startedAt)
    for (const { layer, result, detail } of findings)
      results.set(layer, { layer, result, ms: layer === findings.at(-1)?.layer ? ms : null, detail })
    if (findings.some(({ result }) => result === 'failed')) break
  }
  return [...results.values()]
}
