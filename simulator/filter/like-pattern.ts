/** `*` stands for any characters, `.` for one, `\` takes the next character as it is. */
export function likePattern(pattern: string): RegExp {
  const source = pattern.replace(/\\([\s\S])|([\s\S])/gu, (_, escaped?: string, plain?: string) => {
    if (plain === '*') return '.*'
    if (plain === '.') return '.'
    return `\\u{${(escaped ?? plain ?? '').codePointAt(0)?.toString(16)}}`
  })
  return new RegExp(`^${source}$`, 'su')
}
