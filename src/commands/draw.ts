import type { Command } from 'commander'
import { drawSlips } from '#drawing/draw-slips.ts'
import type { DrawingAnswer, DrawingRequest } from '#drawing/drawing-process.ts'

/** The process that draws slips. It ends with the process that started it. */
export function registerDraw(command: Command): void {
  command.action(
    () =>
      new Promise<void>((resolve) => {
        process.once('disconnect', resolve)
        process.on('message', (request: DrawingRequest) => void answer(request))
      }),
  )
}

async function answer(request: DrawingRequest): Promise<void> {
  const answered: DrawingAnswer = await draw(request).then(
    (drawn) => ({ drawn }),
    (error: Error) => ({ failure: error.message }),
  )
  process.send?.(answered)
}

async function draw({ as, job }: DrawingRequest) {
  if (as === 'pdf') return drawSlips(job)
  const { drawPicture } = await import('#drawing/draw-picture.ts') // larger than all the rest
  return drawPicture(job)
}
