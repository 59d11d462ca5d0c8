import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const link = /\[([^\]]*)\]\(([^)\s]+)\)/g

/** Turns links to files that are not in the folder, such as sources, into plain text. Links to websites stay. */
export function removeDeadLinks(folder: string): void {
  for (const page of globSync('**/*.md', { cwd: folder, exclude: ['node_modules'] })) {
    const text = readFileSync(join(folder, page), 'utf8')
    const isDead = (target: string) => {
      const [path = ''] = target.split('#')
      return !/^[a-z]+:/.test(target) && !existsSync(join(folder, dirname(page), path))
    }
    writeFileSync(
      join(folder, page),
      text.replaceAll(link, (all, label, target) => (isDead(target) ? label : all)),
    )
  }
}
