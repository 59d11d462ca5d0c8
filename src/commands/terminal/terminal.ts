import { userInfo } from 'node:os'
import type { Readable } from 'node:stream'
import type { Actor } from '#domain/actor.ts'

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

/** The person at the command line, by the user name of the operating system. */
export function commandActor(): Actor {
  try {
    return { kind: 'command', name: userInfo().username }
  } catch {
    return { kind: 'command', name: `uid ${process.getuid?.() ?? 'unknown'}` } // a container whose user has no name
  }
}
