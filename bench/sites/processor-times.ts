import { readdirSync, readFileSync } from 'node:fs'

/** Processor time in seconds, and memory in megabytes. */
export type ProcessReading = { seconds: number; megabytes: number; sockets: number }

const ticksPerSecond = 100
const pageBytes = 4_096

export function readProcess(pid: number): ProcessReading {
  const [seconds, megabytes] = readStat(pid)
  return { seconds, megabytes, sockets: readdirSync(`/proc/${pid}/fd`).length }
}

function readStat(pid: number): [number, number, number] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const field = (number: number) => Number(fields[number - 3]) // as `man proc` counts them
  return [(field(14) + field(15)) / ticksPerSecond, (field(24) * pageBytes) / 1e6, field(4)]
}

/**
 * Follows the processes of a server. PostgreSQL starts a process for each round of autovacuum, so the processes are read several
 * times a second. The last part of a second of a process that has ended is lost.
 */
export function watchServer(postmaster: number): { read(): Record<string, number>; stop(): void } {
  const known = new Map<number, { kind: string; seconds: number }>()
  const look = () => {
    for (const name of readdirSync('/proc')) {
      const pid = Number(name)
      if (!Number.isInteger(pid)) continue
      try {
        const [seconds, , parent] = readStat(pid)
        if (parent !== postmaster) continue
        const kind = known.get(pid)?.kind ?? kindOf(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        if (kind !== undefined) known.set(pid, { kind, seconds })
      } catch {
        // the process has ended
      }
    }
  }
  look()
  const timer = setInterval(look, 400)
  return {
    read() {
      look()
      const sums: Record<string, number> = {}
      for (const { kind, seconds } of known.values()) sums[kind] = (sums[kind] ?? 0) + seconds
      return sums
    },
    stop: () => clearInterval(timer),
  }
}

/** The titles are such as `postgres: autovacuum worker bench` and `postgres: postgres bench 127.0.0.1(4711) idle`. */
function kindOf(title: string): string | undefined {
  const [, rest] = /^postgres: (.*)/s.exec(title.replaceAll('\0', ' ')) ?? []
  if (rest === undefined) return undefined
  if (rest.startsWith('autovacuum')) return 'autovacuum'
  if (/^(checkpointer|background writer|walwriter|stats|logical)/.test(rest)) return 'background'
  return 'backends'
}
