# The runtime is the same image that builds, less the tools: everything that runs is JavaScript.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY . .
RUN pnpm="npx --yes pnpm@$(node -p 'require("./package.json").engines.pnpm')" \
 && $pnpm install --frozen-lockfile --filter @snippets/apps... \
 && node_modules/.bin/tsc -b apps \
 && $pnpm --filter @snippets/apps deploy --prod --legacy /app

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 ADMIN_PORT=8001
WORKDIR /app
COPY --from=build /app .
USER node
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/livez`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/commands/main.js"]
