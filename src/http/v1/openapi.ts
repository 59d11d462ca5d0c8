import type { FastifyInstance } from 'fastify'
import { originOf, registerPublicPage } from '../server/public-page.ts'

/** GET /openapi.php describes API v1. Its server URL is the one that the client used. */
export function registerOpenapi(app: FastifyInstance, basePath: string): void {
  registerPublicPage(app, {
    url: `${basePath}/openapi.php`,
    methods: ['GET'], // API v1 rejects HEAD everywhere
    async render(request, reply) {
      reply.header('vary', 'Host')
      return JSON.stringify(openapiDocument(originOf(request) + basePath), null, 4)
    },
  })
}

const integer = { type: 'integer' }
const text = { type: 'string' }
const timestamp = { type: 'string', format: 'date-time' }

const schemas = {
  Site: object({ id: integer, site_id: integer, name: text, active: { type: 'boolean' } }),
  Voucher: object({
    voucher_code: text,
    voucher_name: text,
    max_uses: integer,
    expire_minutes: integer,
    status: { type: 'string', enum: ['valid', 'used', 'expired', 'revoked'] },
    used_count: integer,
    created_at: timestamp,
    expires_at: { ...timestamp, nullable: true },
  }),
  CreatedVoucher: object({
    success: { type: 'boolean' },
    code: text,
    formatted_code: text,
    site: text,
    max_uses: integer,
    expire_minutes: integer,
  }),
  Error: object({ error: text, message: text }, ['error']),
}

const creation = object(
  {
    site_id: integer,
    name: text,
    max_uses: { ...integer, default: 1 },
    expire_minutes: { ...integer, default: 480 },
    qos: { type: 'object', properties: { down: integer, up: integer, quota_mb: integer } },
  },
  ['site_id', 'name'],
)

/** The OpenAPI 3.0.3 document of API v1. */
export function openapiDocument(serverUrl: string) {
  return {
    openapi: '3.0.3',
    info: {
      title: 'Voucher Service API',
      version: '1.0.0',
      description: 'WLAN-Voucher je Standort erstellen und auflisten.',
    },
    servers: [{ url: serverUrl }],
    security: [{ bearerAuth: [] }, { apiKeyAuth: [] }],
    paths: {
      '/sites.php': {
        get: {
          summary: 'Aktive Standorte auflisten (Scope read)',
          operationId: 'listSites',
          responses: { 200: json('Liste der aktiven Standorte', object({ sites: arrayOf('Site') })) },
        },
      },
      '/vouchers.php': {
        get: {
          summary: 'Voucher eines Standorts auflisten (Scope read)',
          operationId: 'listVouchers',
          parameters: [{ name: 'site_id', in: 'query', required: true, schema: integer }],
          responses: { 200: json('Liste der Voucher, neueste zuerst', object({ vouchers: arrayOf('Voucher') })) },
        },
        post: {
          summary: 'Voucher erstellen (Scope write)',
          operationId: 'createVoucher',
          requestBody: { required: true, content: { 'application/json': { schema: creation } } },
          responses: {
            201: json('Voucher erstellt', ref('CreatedVoucher')),
            401: json('Kein gültiger API-Schlüssel', ref('Error')),
            403: json('Berechtigung fehlt', ref('Error')),
            429: json('Anfragelimit überschritten', ref('Error')),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer' },
        apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      schemas,
    },
  }
}

function object(properties: Record<string, object>, required = Object.keys(properties)) {
  return { type: 'object', required, properties }
}

function ref(name: keyof typeof schemas) {
  return { $ref: `#/components/schemas/${name}` }
}

function arrayOf(name: keyof typeof schemas) {
  return { type: 'array', items: ref(name) }
}

function json(description: string, schema: object) {
  return { description, content: { 'application/json': { schema } } }
}
