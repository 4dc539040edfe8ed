# Writes anova_data.csv and anova_answers.csv beside itself: made-up data, and what R says of them.
#   Rscript python/tests/oracles/anova.R
# Only base R is used. Sums of squares of type II are differences of nested models, as in car::Anova.
options(contrasts = c("contr.sum", "contr.poly"), digits = 17, warn = 2)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
set.seed(20261121)

answers <- data.frame()
says <- function(case, what, name, value) {
  answers <<- rbind(answers, data.frame(case, what, name, value = sprintf("%.15g", value)))
}

made <- function(a, b, blocks) {
  cells <- expand.grid(B = paste0("b", 1:b), A = paste0("a", 1:a), block = paste0("k", 1:blocks))
  level <- as.integer(cells$A) + 2 * as.integer(cells$B) + (as.integer(cells$A) * as.integer(cells$B)) / 5
  shift <- rnorm(blocks, 0, 0.5)[as.integer(cells$block)]
  cells$y <- exp((level + shift + rnorm(nrow(cells), 0, 0.4)) / 4)
  cells
}

rss <- function(formula, data) sum(residuals(lm(formula, data))^2)

# One row of type II: a term beyond all those that do not contain it.
type_two <- function(case, data, rows, full) {
  error <- rss(full, data) / df.residual(lm(full, data))
  for (name in names(rows)) {
    small <- lm(rows[[name]][[1]], data)
    large <- lm(rows[[name]][[2]], data)
    squares <- sum(residuals(small)^2) - sum(residuals(large)^2)
    df <- df.residual(small) - df.residual(large)
    f <- squares / df / error
    says(case, "squares", name, squares)
    says(case, "df", name, df)
    says(case, "F", name, f)
    says(case, "p", name, pf(f, df, df.residual(lm(full, data)), lower.tail = FALSE))
  }
  says(case, "squares", "error", rss(full, data))
  says(case, "df", "error", df.residual(lm(full, data)))
}

blocked <- list(
  block = list(y ~ A * B, y ~ block + A * B),
  A = list(y ~ block + B, y ~ block + A + B),
  B = list(y ~ block + A, y ~ block + A + B),
  `A x B` = list(y ~ block + A + B, y ~ block + A * B)
)
plain <- list(
  A = list(y ~ B, y ~ A + B),
  B = list(y ~ A, y ~ A + B),
  `A x B` = list(y ~ A + B, y ~ A * B)
)

balanced <- made(3, 2, 5)
unbalanced <- made(3, 4, 5)[-c(2, 3, 17, 30, 31, 44, 59), ]
alone <- made(4, 3, 1)
sets <- list(balanced = balanced, plain = made(2, 3, 4), unbalanced = unbalanced, alone = alone)

type_two("balanced", balanced, blocked, y ~ block + A * B)
type_two("plain", sets$plain, plain, y ~ A * B)
type_two("unbalanced", unbalanced, blocked, y ~ block + A * B)
type_two("alone", alone, plain[c("A", "B")], y ~ A + B)

# Effects, predictions, all pairs, diagnostics and a likelihood profile of the balanced case.
model <- lm(y ~ block + A * B, balanced)
for (term in names(dummy.coef(model))[c(3, 4)]) {
  found <- dummy.coef(model)[[term]]
  for (level in names(found)) says("balanced", "effect", paste0(term, "=", level), found[[level]])
}
summary_of <- summary(model)$coefficients
says("balanced", "error", "A=a1", summary_of["A1", "Std. Error"])
ends <- confint(model, level = 0.9)
says("balanced", "low", "A=a1", ends["A1", 1])
says("balanced", "high", "A=a1", ends["A1", 2])

pairs <- TukeyHSD(aov(y ~ block + A * B, balanced), "A", conf.level = 0.9)$A
for (pair in rownames(pairs)) {
  for (what in c("diff", "lwr", "upr", "p adj")) says("balanced", paste("tukey", what), pair, pairs[pair, what])
}

without <- lm(y ~ A * B, balanced)
one <- data.frame(A = "a2", B = "b1")
for (kind in c("confidence", "prediction")) {
  found <- predict(without, one, interval = kind, level = 0.9)
  for (what in colnames(found)) says("balanced", kind, what, found[1, what])
}
left <- residuals(model)
says("balanced", "shapiro", "W", shapiro.test(left)$statistic)
says("balanced", "shapiro", "p", shapiro.test(left)$p.value)
bp <- nrow(balanced) * summary(lm(I(left^2) ~ fitted(model)))$r.squared
says("balanced", "breusch-pagan", "statistic", bp)
says("balanced", "breusch-pagan", "p", pchisq(bp, 1, lower.tail = FALSE))
cell <- interaction(balanced$A, balanced$B)
distance <- abs(left - ave(left, cell, FUN = median))
found <- anova(lm(distance ~ cell))
says("balanced", "brown-forsythe", "statistic", found[1, "F value"])
says("balanced", "brown-forsythe", "p", found[1, "Pr(>F)"])
nonadditive <- anova(model, lm(y ~ block + A * B + I(fitted(model)^2), balanced))
says("balanced", "trend", "statistic", nonadditive[2, "F"])
says("balanced", "trend", "p", nonadditive[2, "Pr(>F)"])

profile <- function(power) {
  balanced$z <- if (abs(power) < 1e-9) log(balanced$y) else (balanced$y^power - 1) / power
  n <- nrow(balanced)
  -n / 2 * log(rss(z ~ block + A * B, balanced) / n) + (power - 1) * sum(log(balanced$y))
}
best <- optimize(profile, c(-3, 3), maximum = TRUE, tol = 1e-10)
drop <- function(power) profile(power) - best$objective + qchisq(0.9, 1) / 2
says("balanced", "box-cox", "power", best$maximum)
says("balanced", "box-cox", "low", uniroot(drop, c(-3, best$maximum), tol = 1e-10)$root)
says("balanced", "box-cox", "high", uniroot(drop, c(best$maximum, 3), tol = 1e-10)$root)

# Signed ranks, exactly: five and twelve differences.
for (n in c(5, 12)) {
  differences <- rt(n, 3) + 0.3
  case <- paste0("ranks", n)
  for (number in seq_len(n)) says(case, "difference", number, differences[number])
  found <- wilcox.test(differences, conf.int = TRUE, conf.level = 0.9, exact = TRUE)
  says(case, "shift", "estimate", found$estimate)
  says(case, "shift", "low", found$conf.int[1])
  says(case, "shift", "high", found$conf.int[2])
}

data <- do.call(rbind, lapply(names(sets), function(name) cbind(case = name, sets[[name]])))
data$y <- sprintf("%.15g", data$y)
write.csv(data, file.path(here, "anova_data.csv"), row.names = FALSE, quote = FALSE)
write.csv(answers, file.path(here, "anova_answers.csv"), row.names = FALSE, quote = FALSE)
