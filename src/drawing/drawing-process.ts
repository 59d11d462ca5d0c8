import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { SlipPicture } from './draw-picture.ts'
import type { SlipJob } from './draw-slips.ts'

/** Draws slips in a process of its own, which starts with the first slip and ends when nobody has needed it for a while. */
export type Drawing = {
  /** The bytes of a PDF. Jobs are drawn one after the other. */
  draw(job: SlipJob): Promise<Buffer>
  /** The first page as a picture. */
  drawPicture(job: SlipJob): Promise<SlipPicture>
  stop(): Promise<void>
}

export type DrawingRequest = { as: 'pdf' | 'picture'; job: SlipJob }
export type DrawingAnswer = { drawn: Uint8Array | SlipPicture } | { failure: string }

/** Slips were not drawn. The cause is for the log. */
export class DrawingFailed extends Error {
  constructor(cause: string) {
    super(`slips could not be drawn: ${cause}`)
  }
}

const program = fileURLToPath(new URL('../../bin/voucher-service.js', import.meta.url))
const mostMemoryMb = 160
/** On a machine with far too much to do, 500 slips took 23 s. */
const longestMsPerSlip = 200

export function createDrawing({ idleMs = 20_000, longestMs = 60_000 } = {}): Drawing {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isStopped = false

  function start(): ChildProcess {
    // Drawing needs no setting, so the process gets no secret.
    const started = fork(program, ['draw'], {
      env: {},
      execArgv: [`--max-old-space-size=${mostMemoryMb}`, '--max-semi-space-size=4'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.once('exit', () => forget(started))
    return started
  }

  /** The next job gets a new process. */
  function forget(process: ChildProcess): void {
    if (child === process) child = undefined
  }

  function drawNow(request: DrawingRequest): Promise<Uint8Array | SlipPicture> {
    if (isStopped) return Promise.reject(new DrawingFailed('the service is stopping'))
    clearTimeout(idle)
    child ??= start()
    const drawer = child
    return new Promise<Uint8Array | SlipPicture>((resolve, reject) => {
      const timer = setTimeout(() => drawer.kill('SIGKILL'), longestMs + request.job.slips.length * longestMsPerSlip)
      const onExit = () =>
        end(() => {
          forget(drawer)
          reject(new DrawingFailed('its process ended'))
        })
      const onMessage = (answer: DrawingAnswer) =>
        end(() => ('drawn' in answer ? resolve(answer.drawn) : reject(new DrawingFailed(answer.failure))))
      function end(settle: () => void) {
        clearTimeout(timer)
        drawer.off('exit', onExit).off('message', onMessage).off('error', onExit)
        settle()
      }
      drawer.once('exit', onExit).once('error', onExit).once('message', onMessage)
      drawer.send(request, (error) => error && onExit())
    }).finally(() => {
      idle = setTimeout(() => {
        forget(drawer)
        if (drawer.connected) drawer.disconnect()
      }, idleMs).unref()
    })
  }

  /** Draws after the jobs before it. */
  function drawNext(request: DrawingRequest): Promise<Uint8Array | SlipPicture> {
    const drawn = last.then(() => drawNow(request))
    last = drawn.catch(() => {})
    return drawn
  }

  return {
    draw: async (job) => Buffer.from((await drawNext({ as: 'pdf', job })) as Uint8Array),
    drawPicture: async (job) => (await drawNext({ as: 'picture', job })) as SlipPicture,
    async stop() {
      isStopped = true
      await last
      clearTimeout(idle)
      child?.kill('SIGKILL')
    },
  }
}
