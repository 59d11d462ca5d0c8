import { userInfo } from 'node:os'
import type { Readable } from 'node:stream'
import type { Actor } from '#domain/actor.ts'
import { environment } from '../../config.ts'

/** The surroundings of one command. Commands use only these, so that tests can run them without a process of their own. */
export type Terminal = {
  argv: string[]
  env: NodeJS.ProcessEnv
  /** Standard input, opened only by commands that read it. */
  stdin(): Readable & { isTTY?: boolean }
  stdout: TextSink
  stderr: TextSink
  /** Whether `--json` was given. */
  json: boolean
  /** The exit code of the command. Commands set it to 1 after they have printed what failed. */
  exitCode: number
}

type TextSink = { write(text: string): unknown }

/** The person at the command line, by the user name of the operating system. Behind `sudo`, it also has the name of the person. */
export function commandActor(): Actor {
  const account = accountName()
  const person = environment['SUDO_USER']
  return { kind: 'command', name: person && person !== account ? `${person} as ${account}` : account }
}

function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}` // a container whose user has no name
  }
}
