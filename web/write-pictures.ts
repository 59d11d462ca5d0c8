import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Frame = { png: Buffer; milliseconds: number }

/** Writes an animated WebP that repeats for ever, with `img2webp` of Debian's package `webp`. */
export function writeMovingPicture(path: string, frames: Frame[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'frames-'))
  try {
    const files = frames.flatMap(({ png, milliseconds }, index) => {
      const file = join(folder, `${index}.png`)
      writeFileSync(file, png)
      return ['-lossless', '-m', '6', '-d', String(milliseconds), file]
    })
    run('img2webp', ['-loop', '0', '-min_size', ...files, '-o', path])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes a PNG with at most 256 colours, which is about a third of its size, with Debian's `pngquant`. */
export function writePicture(path: string, png: Buffer): void {
  run('pngquant', ['--force', '--strip', '--speed', '1', '--output', path, '-'], png)
}

function run(program: string, args: string[], input?: Buffer): void {
  const { error, status, stderr } = spawnSync(program, args, { input })
  if (error !== undefined) throw new Error(`${program} did not start. Run \`apt-get install pngquant webp\`.`)
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
}
