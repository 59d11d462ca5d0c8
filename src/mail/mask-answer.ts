import { visibleText } from '#lib/visible-text.ts'
import type { Mail, MailServer } from './mail.ts'

const maxLength = 400
/** Shorter passwords are part of usual words. */
const shortestPassword = 4
/** Shorter parts of a secret are part of usual words. */
const shortestPart = 8
/** Shorter words than this, such as the enhanced status code 5.7.1, tell nothing about a guest. */
const shortestHidden = 6

/**
 * An answer of the mail server as people may see it: on one line, without addresses, without the password, and without codes that are in
 * the message.
 */
export function maskAnswer(answer: string, { password }: Pick<MailServer, 'password'>, mail?: Mail): string {
  const oneLine = answer.trim().replace(/\r?\n(\d{3}[ -])?/g, ' ')
  const withoutSecrets = hideSecret(hidePassword(oneLine, password), mail?.secret)
  return visibleText(hideGuest(hideCodes(hideAddresses(withoutSecrets), mail), mail), maxLength)
}

/** Only the code of an answer that contains the password is left: a gap in the text would show which of its words that was. */
function hidePassword(text: string, password: string | null): string {
  if (password === null || password.length < shortestPassword) return text
  const forms = [password, ...formsInBase64(password)]
  return forms.some((form) => text.includes(form)) ? `${text.slice(0, 3)} ***` : text
}

/** What is left of a text in Base64, by the number of bytes before it: AUTH PLAIN puts the user name there. */
function formsInBase64(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    // The first and the last character may have bits of what is beside the text.
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
  })
}

/** Only the code is left of an answer that has a part of the secret, wherever the server put spaces or line breaks. */
function hideSecret(text: string, secret: string | undefined): string {
  if (secret === undefined) return text
  const left = text.replace(/[^A-Za-z0-9]+/g, '')
  for (let start = 0; start + shortestPart <= secret.length; start++)
    if (left.includes(secret.slice(start, start + shortestPart))) return `${text.slice(0, 3)} ***`
  return text
}

/** Looks for the @ in each word: an expression for the whole address takes a minute for a word of 64 KiB without one. */
function hideAddresses(text: string): string {
  return text.replace(/[^\s<>()[\]:;,"']+/g, (word) => (word.slice(1, -1).includes('@') ? '***' : word))
}

function hideCodes(text: string, mail: Mail | undefined): string {
  if (!mail) return text
  const said = `${mail.subject} ${mail.text} ${mail.html}`
  return text.replace(/[\p{L}\p{N}-]+/gu, (word) =>
    word.length >= shortestHidden && /\p{N}/u.test(word) && said.includes(word) ? '***' : word,
  )
}

/**
 * Hides the parts of the guest's address. Only the code is left of an answer that has the address in another way: split over its lines,
 * encoded, or without the @.
 */
function hideGuest(text: string, mail: Mail | undefined): string {
  if (!mail) return text
  const [local = '', domain = ''] = mail.to.toLowerCase().split('@')
  const hidden = text.replace(/[^\s<>()[\]:;,"'@/=]+/g, (word) =>
    [local, domain].includes(word.toLowerCase().replace(/\.$/, '')) ? '***' : word,
  )
  const left = lettersOf(decodeAddress(hidden))
  const isThere = (part: string) => part.length >= shortestHidden && left.includes(part)
  const encoded = Buffer.from(mail.to).toString('base64').replace(/=+$/, '')
  const isEncoded = encoded !== '' && hidden.includes(encoded)
  return isThere(lettersOf(mail.to)) || isThere(lettersOf(local)) || isEncoded ? `${hidden.slice(0, 3)} ***` : hidden
}

/** The characters that servers write as `%40`, `=40`, `+40` or `&#64;`. */
function decodeAddress(text: string): string {
  return text
    .replace(/&#(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/[%=+]([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** Letters and digits, without the enhanced status codes of an answer. */
function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\b[245]\.\d{1,3}\.\d{1,3}\b/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
