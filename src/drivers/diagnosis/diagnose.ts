import { checkSignIn, checkVouchers } from './check-answers.ts'
import { checkCertificate } from './check-certificate.ts'
import { checkAddress, checkName, checkPort } from './check-way.ts'
import { type Finding, type Layer, type LayerResult, layers, notTried } from './layers.ts'
import type { Subject } from './subject.ts'

/** Which layer fails between us and the vouchers of a site. After the first failure nothing more is tried. */
export async function diagnose(subject: Subject): Promise<LayerResult[]> {
  const results = new Map<Layer, LayerResult>()
  for await (const result of look(subject)) {
    results.set(result.layer, result)
    if (result.result === 'failed') break
  }
  return layers.map((layer) => results.get(layer) ?? row(layer, null, notTried()))
}

async function* look(subject: Subject): AsyncGenerator<LayerResult> {
  yield await timed('address', () => checkAddress(subject))
  yield await timed('dns', () => checkName(subject))
  yield await timed('connect', () => checkPort(subject))
  yield await timed('tls', () => checkCertificate(subject))
  const [connection, site] = [subject.connect(), subject.controllerSite]
  yield await timed('sign-in', () => checkSignIn(connection, site))
  const [findings, ms] = await stopwatch(() => checkVouchers(connection, site))
  for (const [i, { layer, finding }] of findings.entries())
    yield row(layer, i === findings.length - 1 ? ms : null, finding)
}

async function timed(layer: Layer, check: () => Promise<Finding>): Promise<LayerResult> {
  const [finding, ms] = await stopwatch(check)
  return row(layer, ms, finding)
}

function row(layer: Layer, ms: number | null, { result, detail }: Finding): LayerResult {
  return { layer, result, ms, detail }
}

async function stopwatch<T>(work: () => Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now()
  const result = await work()
  return [result, Math.round(performance.now() - startedAt)]
}
