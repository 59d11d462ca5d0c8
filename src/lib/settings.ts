import { readFileSync } from 'node:fs'

/** One environment variable: its words for people, its parser (which throws in words for people), its default. */
export type Setting<T = unknown> = {
  env: string
  about: string
  parse: (text: string) => T
  fallback?: string
  /** May also be given as a file, by NAME_FILE; never printed. */
  secret?: boolean
  optional?: boolean
}

export type Values<S extends Record<string, Setting>> = {
  [K in keyof S]: S[K] extends { optional: true } ? ReturnType<S[K]['parse']> | undefined : ReturnType<S[K]['parse']>
}

export class SettingsError extends Error {
  override name = 'SettingsError'
  constructor(problems: string[]) {
    super(`The settings are not complete:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

/** Reads every setting and reports every problem at once. */
export function readSettings<S extends Record<string, Setting>>(settings: S, env: NodeJS.ProcessEnv): Values<S> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    try {
      const text = textOf(setting, env) ?? setting.fallback
      if (text !== undefined) values[name] = setting.parse(text)
      else if (!setting.optional) problems.push(`${setting.env} is missing: ${setting.about}`)
    } catch (error) {
      problems.push(`${setting.env}: ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return values as Values<S>
}

function textOf(setting: Setting, env: NodeJS.ProcessEnv): string | undefined {
  const value = env[setting.env] || undefined
  const file = (setting.secret && env[`${setting.env}_FILE`]) || undefined
  if (file === undefined) return value
  if (value !== undefined) throw new Error(`set it or ${setting.env}_FILE, not both`)
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    throw new Error(`${setting.env}_FILE cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
