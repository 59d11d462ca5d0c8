import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { matchesEtag } from '../v2/kit/etag.ts'

/** Content that is the same for every request, with compressed copies, the smallest first. */
export type StaticContent = { body: Buffer; compressed: { encoding: string; body: Buffer }[] }

/** Answers from memory, compressed if the client accepts it, or with 304 if the client has the content already. */
export function staticAnswer({ body, compressed }: StaticContent, headers: Record<string, string>) {
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27)
  const { vary, ...others } = headers
  const common = { ...others, vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding` }
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const copy = compressed.find(({ encoding }) => accepts(request.headers['accept-encoding'], encoding))
    const tag = copy ? `"${etag}-${copy.encoding}"` : `"${etag}"`
    reply.headers({ ...common, etag: tag })
    if (matchesEtag(request.headers['if-none-match'], tag)) return reply.code(304).removeHeader('content-type').send()
    if (copy) reply.header('content-encoding', copy.encoding)
    return reply.send(copy?.body ?? body)
  }
}

/** Makes the content for the first request, because making it earlier would delay each start. Others wait for the same one. */
export function staticAnswerOnDemand(render: () => string, headers: Record<string, string>) {
  let making: Promise<ReturnType<typeof staticAnswer>> | undefined
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    making ??= compress(render()).then((content) => staticAnswer(content, headers))
    return (await making)(request, reply)
  }
}

/** Compresses in the threads of Node, so that other requests are answered meanwhile. */
async function compress(text: string): Promise<StaticContent> {
  const body = Buffer.from(text)
  const [brotli, gzipped] = await Promise.all([
    // The best quality, 11, takes 20 times as long for 9% less.
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
  ])
  return {
    body,
    compressed: [
      { encoding: 'br', body: brotli },
      { encoding: 'gzip', body: gzipped },
    ],
  }
}

function accepts(acceptEncoding: string | string[] | undefined, encoding: string): boolean {
  return String(acceptEncoding ?? '')
    .split(',')
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
    .some(([name, weight]) => name === encoding && !/^q=0(\.0*)?$/.test(weight ?? ''))
}
