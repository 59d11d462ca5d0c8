import { fstatSync } from 'node:fs'

/** Levels of pino as priorities of syslog: critical, error, warning, informational, debug. */
const priorities: Record<string, number> = { 60: 2, 50: 3, 40: 4, 30: 6, 20: 7, 10: 7 }
const errorPriority = 3

/**
 * Whether a file descriptor is connected to the journal of systemd, as sd-daemon(3) says. A program that a unit starts inherits
 * the variable even if its output goes elsewhere, so the device and the inode are compared.
 */
export function isJournal(fd: 1 | 2, { JOURNAL_STREAM: stream }: NodeJS.ProcessEnv): boolean {
  if (!stream) return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return stream === `${dev}:${ino}`
}

/** Puts the priority of a log line in front of it, e.g. `<4>` for a warning. The journal stores it and removes it from the text. */
export function withPriority(line: string): string {
  const level = /^\{"level":(\d+)/.exec(line)?.[1] ?? ''
  return `<${priorities[level] ?? errorPriority}>${line}`
}

/** Marks every line of a message as an error. */
export function asErrors(message: string): string {
  return message.replace(/^/gm, `<${errorPriority}>`)
}
