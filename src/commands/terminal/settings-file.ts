import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { SettingsError } from '#lib/settings.ts'

/** The paths after `--settings`, which may be anywhere on the command line, and more than once. */
export function listSettingsFiles(argv: string[]): string[] {
  return argv.flatMap((word, at) => {
    if (word === '--settings') return argv[at + 1] ?? []
    return word.startsWith('--settings=') ? word.slice('--settings='.length) : []
  })
}

/**
 * Reads settings from files, as systemd does for a unit. They replace those of the environment, so that a command has the settings
 * of the service even if the shell has others, such as TZ. Settings of a later file replace those of an earlier one.
 */
export function readSettingsFiles(paths: string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const files = paths.map((path) => parseSettingsFile(readText(path, '--settings'), path))
  const read: Record<string, string> = Object.assign({}, ...files)
  const authorities = read['NODE_EXTRA_CA_CERTS']
  if (authorities && authorities !== env['NODE_EXTRA_CA_CERTS']) trustAlso(authorities)
  return { ...env, ...read }
}

/**
 * Lines have the form NAME=value. Nothing in a value is expanded. Quotes around a value are removed. systemd would read a backslash
 * outside of single quotes as an escape, so it is rejected.
 */
export function parseSettingsFile(text: string, path: string): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || /^[#;]/.test(content)) continue
    const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/.exec(content) ?? []
    if (name === undefined) throw new SettingsError([`${path}: line ${at + 1} does not have the form NAME=value`])
    const [, quote, quoted = ''] = /^(['"])(.*)\1$/.exec(value) ?? []
    if (value.includes('\\') && quote !== "'")
      throw new SettingsError([`${path}: line ${at + 1} has a backslash. Put the value in single quotes`])
    settings[name] = quote === undefined ? value : quoted
  }
  return settings
}

/** `named`: the option or setting that names the file. */
function readText(path: string, named: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SettingsError([
      `${named}: ${path} cannot be read (${code}). Check the path, or run the command as a user who may read it`,
    ])
  }
}

/** Node reads NODE_EXTRA_CA_CERTS only when it starts. It ignores a text without certificates. */
function trustAlso(path: string): void {
  const text = readText(path, 'NODE_EXTRA_CA_CERTS')
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new SettingsError([
      `NODE_EXTRA_CA_CERTS: ${path} contains no certificate in PEM format. Write the certificate of your authority to it`,
    ])
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), text])
}
