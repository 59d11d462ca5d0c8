import type { Reply } from './reply.ts'

export function htmlPage(status: number, heading = 'Please wait'): Reply {
  const text = `<!DOCTYPE html><html><head><title>UniFi</title></head><body><h1>${heading}</h1></body></html>`
  return { status, headers: { 'content-type': 'text/html' }, text }
}
