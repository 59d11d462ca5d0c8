import type { Described } from './described.ts'
import { type Html, html } from './html.ts'

export type Group = { id: string; title: string; operations: Described[] }

/** The first word of a path is the thing it is about. */
export function groupOperations(operations: Described[]): Group[] {
  const groups = Map.groupBy(operations, ({ path }) => path.split('/')[1] as string)
  return [...groups].map(([id, members]) => ({
    id,
    title: id.slice(0, 1).toUpperCase() + id.slice(1),
    operations: members,
  }))
}

export function contents(groups: Group[], objects: string[]): Html {
  return html`<nav aria-label="Contents">
<ul>
<li><a href="#basics">Basics</a></li>
<li><a href="#errors">Errors</a></li>
${groups.map(groupItem)}<li><a href="#objects">Objects</a>
<ul>${objects.map(
    (name) => html`
<li><a href="#${name}">${name}</a></li>`,
  )}
</ul></li>
</ul>
</nav>`
}

function groupItem({ id, title, operations }: Group): Html {
  return html`<li><a href="#${id}">${title}</a>
<ul>${operations.map(
    ({ operationId, method, path }) => html`
<li><a href="#${operationId}"><b class="${method.toLowerCase()}">${method}</b> ${path}</a></li>`,
  )}
</ul></li>
`
}
