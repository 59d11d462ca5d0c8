import { curlExample } from './curl-example.ts'
import { type Answer, type Described, type DescribedApi, schemaOf } from './described.ts'
import { parameterLists, schemaFields } from './field-list.ts'
import { type Html, html } from './html.ts'
import { typeWords } from './type-words.ts'

/** `common`: the failures of every operation, which are told once for all. */
export function operationSection({ schemas }: DescribedApi, operation: Described, common: string[]): Html {
  const { method, path, operationId, summary, scope, parameters, requestBody, responses } = operation
  const body = requestBody && schemaOf(requestBody)
  return html`
<section id="${operationId}">
<h3><a href="#${operationId}"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></a></h3>
<p>${summary}. <span class="scope">Scope <code>${scope}</code></span></p>
<pre>${curlExample(schemas, operation)}</pre>
${parameterLists(parameters)}
${body ? html`<h4>In the body</h4>${schemaFields(schemas, body, 'body')}` : undefined}
<h4>Answers</h4>
<ul class="answers">${Object.entries(responses)
    .filter(([status]) => !common.includes(status))
    .map(([status, answer]) => answerItem(schemas, status, answer))}
<li>${common.map((status) => html`<b>${status}</b> `)}<a href="#errors">as everywhere</a></li>
</ul>
</section>`
}

function answerItem(schemas: DescribedApi['schemas'], status: string, answer: Answer): Html {
  const schema = schemaOf(answer)
  const mediaType = Object.keys(answer.content ?? {})[0]
  const isNamed = schema?.$ref !== undefined
  const what = mediaType === 'application/json' && isNamed ? html`: ${typeWords(schema)}` : undefined
  const other =
    mediaType !== undefined && mediaType !== 'application/json' ? html`: <code>${mediaType}</code>` : undefined
  return html`
<li><b>${status}</b> ${answer.description}${what}${other}${schema?.properties ? schemaFields(schemas, schema, 'answer') : undefined}</li>`
}
