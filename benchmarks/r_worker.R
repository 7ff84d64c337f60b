# A folder of questions in, what R packages say to them out; or ratings and a list of calls in, their times out.
#
#   Rscript r_worker.R packages               the version of R and of every package present
#   Rscript r_worker.R answers FOLDER         FOLDER/index.tsv and one NAME.csv and NAME.levels per question
#   Rscript r_worker.R times FILE             FILE holds two raters' whole numbers; calls by name on stdin, one per line
#
# Base R only: answers are lines of tabs, times are lines of JSON.

wanted <- c("vcd", "psych", "irr", "rel")
present <- Filter(function(one) requireNamespace(one, quietly = TRUE), wanted)

agreement_weights <- function(k, weights) {
  gap <- abs(outer(seq_len(k), seq_len(k), "-"))
  largest <- max(k - 1, 1)
  switch(weights, unweighted = 1 * (gap == 0), linear = 1 - gap / largest, quadratic = 1 - (gap / largest)^2)
}

not_offered <- function() stop(structure(class = c("not_offered", "error", "condition"), list(message = "", call = NULL)))

# two raters' counts: told, over all levels; else as R's own table() makes them
counts_of <- function(q) {
  ratings <- q$ratings
  if (q$told) ratings[] <- lapply(ratings, factor, levels = q$levels)
  as.matrix(unclass(table(ratings[[1]], ratings[[2]])))
}

ask <- list(
  vcd = function(q) {
    if (!q$quantity %in% c("kappa", "scaled kappa", "standard error", "lower end") || q$raters > 2) not_offered()
    counts <- counts_of(q)
    named <- c(unweighted = "Equal-Spacing", linear = "Equal-Spacing", quadratic = "Fleiss-Cohen")
    weights <- if (q$quantity == "scaled kappa") agreement_weights(nrow(counts), q$weights) else named[[q$weights]]
    found <- vcd::Kappa(counts, weights = weights)
    row <- if (q$weights == "unweighted") 1 else 2
    switch(q$quantity, "standard error" = found[[row]][["ASE"]], "lower end" = confint(found)[row, 1],
           found[[row]][["value"]])
  },
  psych = function(q) {
    if (!q$quantity %in% c("kappa", "scaled kappa", "light", "standard error", "lower end")) not_offered()
    k <- if (q$told || q$kind != "number") length(q$levels) else length(unique(na.omit(unlist(q$ratings))))
    w <- if (q$weights == "linear") agreement_weights(k, "linear") else NULL
    if (q$kind == "factor") w <- agreement_weights(length(unique(unlist(lapply(q$ratings, as.character)))), "linear")
    ratings <- if (q$kind == "factor") q$ratings else as.matrix(q$ratings)
    found <- psych::cohen.kappa(ratings, w = w, levels = if (q$told) q$levels else NULL)
    if (q$raters > 2) return(if (q$weights == "unweighted") found$av.kappa else found$av.wt)
    row <- if (q$weights == "unweighted") 1 else 2
    switch(q$quantity, "standard error" = sqrt(c(found$var.kappa, found$var.weighted)[row]),
           "lower end" = found$confid[row, 1], c(found$kappa, found$weighted.kappa)[row])
  },
  irr = function(q) {
    weight <- c(unweighted = "unweighted", linear = "equal", quadratic = "squared")[[q$weights]]
    unweighted <- q$weights == "unweighted"
    if (q$quantity == "kappa" && q$raters == 2) return(irr::kappa2(q$ratings, weight)$value)
    if (q$quantity == "conger" && unweighted) return(irr::kappam.fleiss(q$ratings, exact = TRUE)$value)
    if (q$quantity == "fleiss" && unweighted) return(irr::kappam.fleiss(q$ratings)$value)
    if (q$quantity == "light" && unweighted) return(irr::kappam.light(q$ratings)$value)
    if (q$quantity == "alpha") {
      return(irr::kripp.alpha(t(as.matrix(q$ratings)), if (unweighted) "nominal" else "interval")$value)
    }
    not_offered()
  },
  rel = function(q) {
    if (!q$quantity %in% c("kappa", "maximum", "standard error") || q$raters > 2) not_offered()
    found <- rel::ckap(q$ratings, weight = q$weights)
    switch(q$quantity, maximum = found$kmax, "standard error" = found$se, found$est)
  }
)

one_line <- function(text) gsub("[\t\r\n]+", " ", trimws(text))

answers <- function(folder) {
  index <- read.delim(file.path(folder, "index.tsv"), stringsAsFactors = FALSE)
  for (i in seq_len(nrow(index))) {
    q <- as.list(index[i, ])
    q$told <- q$told == 1
    q$levels <- readLines(file.path(folder, paste0(q$name, ".levels")))
    q$ratings <- read.csv(file.path(folder, paste0(q$name, ".csv")), colClasses = "character", na.strings = "")
    q$raters <- ncol(q$ratings)
    if (q$kind == "number") {
      q$ratings[] <- lapply(q$ratings, as.numeric)
      q$levels <- as.numeric(q$levels)
    }
    if (q$kind == "factor") q$ratings[] <- lapply(q$ratings, factor, levels = q$levels, ordered = TRUE)
    for (package in present) {
      heard <- ""
      note <- function(condition) heard <<- one_line(conditionMessage(condition))
      line <- tryCatch({
        value <- withCallingHandlers(ask[[package]](q),
          warning = function(w) { note(w); invokeRestart("muffleWarning") },
          message = function(m) { note(m); invokeRestart("muffleMessage") })
        c("value", sprintf("%.17g", as.numeric(value)[1]), heard)
      }, not_offered = function(e) c("not offered", "", ""), error = function(e) c("failed", "", one_line(conditionMessage(e))))
      cat(package, q$name, line, sep = "\t")
      cat("\n")
    }
  }
}

times <- function(file) {
  ratings <- as.matrix(read.csv(file))
  frame <- as.data.frame(ratings)
  calls <- list(
    psych = function() psych::cohen.kappa(ratings)$weighted.kappa,
    vcd = function() vcd::Kappa(table(frame[[1]], frame[[2]]), weights = "Fleiss-Cohen")$Weighted[["value"]],
    irr = function() irr::kappa2(frame, "squared")$value
  )
  input <- file("stdin", "r")
  while (length(name <- readLines(input, 1)) > 0) {
    start <- proc.time()[["elapsed"]]
    value <- suppressWarnings(calls[[name]]())
    cat(sprintf('{"seconds": %.6f, "value": %.17g}\n', proc.time()[["elapsed"]] - start, value))
    flush(stdout())
  }
}

arguments <- commandArgs(trailingOnly = TRUE)
if (arguments[1] == "packages") {
  cat("R", paste(R.version$major, R.version$minor, sep = "."), sep = "\t")
  cat("\n")
  for (package in present) cat(paste(package, packageVersion(package), sep = "\t"), sep = "\n")
} else if (arguments[1] == "answers") {
  answers(arguments[2])
} else {
  times(arguments[2])
}
