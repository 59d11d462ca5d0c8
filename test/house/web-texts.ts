import { parseSync } from 'vite'

type Finding = { line: number; text: string }
/** `mentioned` has literals that look like keys: a table may contain them, and a component passes them to `t` later. */
type Source = { keys: string[]; mentioned: string[]; prefixes: string[]; hardCoded: Finding[] }

type Node = { type: string; start: number; [field: string]: unknown }

/** Attributes and properties that people read. */
const spoken =
  /^(label|title|description|placeholder|alt|aria-label|aria-description|aria-roledescription|error|subtitle|message|text)$/

/** Text for people has a letter. A single word in code style, such as `setup-…`, is a text as well. */
const isText = (text: unknown) => typeof text === 'string' && /\p{L}/u.test(text)

/** Words in these elements are code or keys and are the same in every language. */
const codeElements = ['Code', 'code', 'Kbd', 'kbd', 'pre']

/** Finds the texts of a source: the keys that it passes to `t`, and words that are not in the dictionaries. */
export function readTexts(path: string, text: string): Source {
  const found: Source = { keys: [], mentioned: [], prefixes: [], hardCoded: [] }
  const report = ({ start }: Node, words: unknown) => {
    if (isText(words))
      found.hardCoded.push({ line: text.slice(0, start).split('\n').length, text: String(words).trim() })
  }
  visit(parseSync(path, text).program as unknown as Node, [])
  return found

  function visit(node: Node, parents: Node[]): void {
    if (isKey(node)) found.mentioned.push(String(node['value']))
    if (isCallOfT(node)) for (const argument of (node['arguments'] as Node[]).slice(0, 1)) readKeys(argument)
    if (node.type === 'JSXText' && !parents.some(isCode)) report(node, node['value'])
    if (node.type === 'JSXExpressionContainer' && parents.at(-1)?.type === 'JSXElement' && !parents.some(isCode))
      for (const words of literalsOf(node['expression'] as Node)) report(node, words)
    if (node.type === 'JSXAttribute' && spoken.test(nameOf(node['name'] as Node)) && node['value'])
      for (const words of literalsOf(node['value'] as Node)) report(node, words)
    if (node.type === 'Property' && spoken.test(nameOf(node['key'] as Node)))
      for (const words of literalsOf(node['value'] as Node)) if (!/^[a-z-]+\.[a-z-]+$/.test(words)) report(node, words)
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, [...parents, node])
  }

  /** `t('a.b')`, `t(isX ? 'a.b' : 'a.c')` and, for a family of keys, t(`roles.${role}`). */
  function readKeys(node: Node): void {
    if (node.type !== 'TemplateLiteral') return void found.keys.push(...literalsOf(node))
    const [start] = node['quasis'] as { value: { cooked: string } }[]
    found.prefixes.push(start?.value.cooked ?? '')
  }
}

/** The literal texts that an expression can have as its value. */
function literalsOf(node: Node): string[] {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : []
  if (node.type === 'JSXExpressionContainer') return literalsOf(node['expression'] as Node)
  if (node.type === 'TemplateLiteral')
    return (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).filter(isText)
  if (node.type === 'ConditionalExpression')
    return [...literalsOf(node['consequent'] as Node), ...literalsOf(node['alternate'] as Node)]
  if (node.type === 'LogicalExpression') return literalsOf(node['right'] as Node)
  return []
}

/** A key that is kept in a table, such as `label: 'nav.desk'`. */
function isKey(node: Node): boolean {
  return node.type === 'Literal' && /^[a-z-]+\.[a-z][a-z-]*$/.test(String(node['value']))
}

function isCallOfT(node: Node): boolean {
  return node.type === 'CallExpression' && nameOf(node['callee'] as Node) === 't'
}

function isCode(node: Node): boolean {
  const opening = node['openingElement'] as Node | undefined
  return opening !== undefined && codeElements.includes(nameOf(opening['name'] as Node))
}

function nameOf(node: Node): string {
  return String(node['name'] ?? node['value'] ?? '')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
