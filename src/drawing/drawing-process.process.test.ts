import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { slipParts } from '#slips/slip-parts.ts'
import { report } from '#test/measuring.ts'
import { createDrawing } from './drawing-process.ts'
import type { PaperName } from './papers.ts'

const guestInfo = {
  ...{ wifi_name: 'Adler-Gast', wifi_password: 'Sommer-am-See-26', wifi_password_set: true, wifi_hidden: false },
  ...{ time_zone: 'Europe/Vienna', footer: null },
}

function jobOf(count: number, paper: PaperName = 'a4-cards') {
  const slips = Array.from({ length: count }, (_, index) => {
    const limits = { max_uses: 2, expire_minutes: 1440, valid_until: null, created_at: '2026-11-19T08:00:00.000Z' }
    const voucher = { id: `1-${index}`, formatted_code: `53785-${10_000 + index}`, name: `Gast ${index}`, ...limits }
    return slipParts(voucher, { name: 'Adler', house: null, guestInfo }, ['de', 'en'])
  })
  return { slips, paper, logo: null }
}

function start(options: Parameters<typeof createDrawing>[0] = {}) {
  const drawing = createDrawing(options)
  onTestFinished(() => drawing.stop())
  return drawing
}

/** The processes that draw for this one. */
function drawers(): number[] {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
  return lines.split('\n').flatMap((line) => (/ draw$/.test(line) ? [Number.parseInt(line, 10)] : []))
}

const isPdf = (bytes: Buffer) => bytes.subarray(0, 5).toString() === '%PDF-'

test('one process draws all jobs, one after the other, and ends when it has had nothing to do', async () => {
  const drawing = start({ idleMs: 300 })
  expect(drawers()).toEqual([])

  const drawn = await Promise.all([drawing.draw(jobOf(1)), drawing.draw(jobOf(30)), drawing.draw(jobOf(1, '80mm'))])
  expect(drawn.map(isPdf)).toEqual([true, true, true])
  expect(drawers()).toHaveLength(1)
  await vi.waitFor(() => expect(drawers()).toEqual([]), 60_000)
  expect(isPdf(await drawing.draw(jobOf(1)))).toBe(true)
})

test('a process that dies or hangs fails its job only, and the next job gets a new one', async () => {
  const drawing = start({ longestMs: 25_000 }) // on a busy machine, a process needs many seconds to start
  await drawing.draw(jobOf(1))
  const [killed] = drawers()
  const interrupted = drawing.draw(jobOf(1_000))
  process.kill(killed as number, 'SIGKILL')
  await expect(interrupted).rejects.toThrow('its process ended')

  await drawing.draw(jobOf(1))
  const [frozen] = drawers()
  expect(frozen).not.toBe(killed)
  process.kill(frozen as number, 'SIGSTOP')
  await expect(drawing.draw(jobOf(1))).rejects.toThrow('its process ended')
  expect(isPdf(await drawing.draw(jobOf(1)))).toBe(true)
})

test('a job that cannot be drawn says why, and the process goes on', async () => {
  const drawing = start()
  await expect(drawing.draw({ ...jobOf(1), paper: 'a3' as PaperName })).rejects.toThrow('slips could not be drawn')

  const [pid] = drawers()
  await drawing.draw(jobOf(1))
  expect(drawers()).toEqual([pid])
})

/** The most memory that a process has had, in MB. */
function memoryOf(pid: number | undefined): number {
  const [, kB] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kB) / 1024
}

test('500 slips and pictures take less than 250 MB, in the process that draws, and its environment has no setting', async () => {
  const drawing = start()
  const begin = performance.now()
  expect(isPdf(await drawing.draw(jobOf(500)))).toBe(true)
  report('ms for 500 slips', performance.now() - begin)
  const [pid] = drawers()
  report('MB of the process that draws', memoryOf(pid))

  for (const paper of ['a4', '80mm', 'a4-cards'] as const)
    expect(Buffer.from((await drawing.drawPicture(jobOf(1, paper))).png).toString('latin1', 1, 4)).toBe('PNG')
  const afterPictures = memoryOf(pid)
  report('MB of the process that draws, with pictures', afterPictures)

  expect(afterPictures).toBeLessThan(250)
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8').replaceAll(/NODE_\w+=[^\0]*\0/g, '')).toBe('')
})
