import { SettingsError } from '#lib/settings.ts'
import { listMisspelt, loadConfig } from '../../config.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('settings')

/** Returns a finding for each setting that is missing or invalid. */
export function checkSettings(env: NodeJS.ProcessEnv): Finding[] {
  try {
    const config = loadConfig(env)
    const warnings: Finding[] = []
    if (config.allowHttpSignIn)
      warnings.push(
        warning(
          'ALLOW_HTTP_SIGN_IN is true, so passwords can be read on the network.',
          'Put a proxy with TLS in front of the service, then remove the setting.',
        ),
      )
    if (config.webhookRetryScale !== 1)
      warnings.push(
        warning('WEBHOOK_RETRY_SCALE shortens the pauses between attempts.', 'Remove it: it is for tests only.'),
      )
    for (const { name, meant } of listMisspelt(env))
      warnings.push(warning(`${name} is not a setting, so it has no effect.`, `Did you mean ${meant}?`))
    return warnings.length > 0 ? warnings : [ok('All settings are valid.')]
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.problems.map((each) => `${each}.`).map((each) => problem(each, 'See docs/settings.md.'))
  }
}
