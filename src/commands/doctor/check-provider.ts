import { machineClock } from '#lib/clock.ts'
import type { Config } from '../../config.ts'
import { connectProvider } from '../../context.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('sign-in')

/** Reads the metadata of the provider that OIDC_ISSUER names. It signs nobody in. */
export async function checkProvider(config: Config): Promise<Finding> {
  const provider = connectProvider(config, machineClock)
  if (!provider) return ok('People sign in with their passwords; no provider is set.')
  try {
    const { state, reason, clockDifferenceSeconds } = await provider.check()
    if (state === 'does_not_answer')
      return problem(
        `The provider ${provider.issuer} does not answer (${reason}), so nobody can sign in there.`,
        'Correct OIDC_ISSUER, or make the provider reachable from this machine.',
      )
    if (state === 'clock_differs')
      return warning(
        `The clock of the provider ${provider.issuer} differs by ${Math.abs(clockDifferenceSeconds ?? 0)} s.`,
        'Let both machines take their time from a time server.',
      )
    return ok(`The provider ${provider.issuer} answers.`)
  } finally {
    await provider.close()
  }
}
