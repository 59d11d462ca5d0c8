import { Type } from 'typebox'
import { requestMessage } from '#domain/mailing/request-message.ts'
import { listMessages, type RecordedMessage } from '#domain/messages/messages.queries.ts'
import { operation } from '../kit/operation.ts'
import { findVisibleVoucher, voucherParams } from '../vouchers/vouchers.ts'
import { messageFields, messageSchema, messageToWire } from './message-fields.ts'

export const createMessage = operation({
  method: 'POST',
  path: '/vouchers/{id}/messages',
  operationId: 'createMessage',
  summary: 'Send the code of a voucher to its guest by e-mail. The answer does not wait for the mail server',
  scope: 'write',
  role: 'desk',
  status: 202,
  conflict: 'The voucher has ended, or e-mail is not set up',
  tooMany: 'The address, the key, the person or the site has reached its messages of the day',
  params: voucherParams,
  body: Type.Object(messageFields, {
    additionalProperties: false,
    title: 'MessageCreation',
    examples: [{ email: 'guest@example.com', language: 'en' }],
  }),
  answer: messageSchema,
  async handle(ctx, { actor, now, params, body, language }) {
    const voucher = await findVisibleVoucher(ctx.db, actor, params.id)
    const message = { email: body.email, language: body.language, languageOfCaller: language }
    const id = await requestMessage(ctx, actor, voucher, { ...message, now })
    const messages = await listMessages(ctx.db, voucher)
    return messageToWire(ctx.keyring, actor, messages.find((each) => each.id === id) as RecordedMessage)
  },
})

export const listVoucherMessages = operation({
  method: 'GET',
  path: '/vouchers/{id}/messages',
  operationId: 'listVoucherMessages',
  summary: 'List the messages about a voucher, newest first. They are kept for 30 days',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: voucherParams,
  answer: Type.Object({ messages: Type.Array(messageSchema) }),
  async handle(ctx, { actor, params }) {
    const voucher = await findVisibleVoucher(ctx.db, actor, params.id)
    const messages = await listMessages(ctx.db, voucher)
    return { messages: messages.map((message) => messageToWire(ctx.keyring, actor, message)) }
  },
})
