FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY client client
COPY web web
COPY tsconfig.json ./
RUN node web/build-web.ts

FROM node:24-slim
ENV NODE_ENV=production LISTEN_ADDRESS=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY src src
COPY simulator simulator
COPY --from=web /app/dist/web dist/web
# Nothing is written to disk: the root file system may be read-only.
USER node
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/voucher-service.js"]
CMD ["start"]
