import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("php and its tools", () => {
  it.each([
    ["php --version", "read-only"],
    ["php -m", "read-only"],
    ["php -l src/a.php", "read-only"],
    ["php -l", "read-only"],
    ["php -d auto_prepend_file=./evil -l src/a.php", "execute deviation"],
    ["php -i", "environment"],
    ["php src/a.php x", "project"],
    ["php artisan migrate", "project"],
    ["php -f src/a.php", "project"],
    ["php -r 'code'", "execute deviation"],
    ["php -a", "execute"],
    ["php -S localhost:8000 -t public", "network project deviation"],
    ["php", "execute unknown"],
    ["composer --version", "project"],
    ["composer install", "network project write"],
    ["composer require evil/x", "network project write"],
    ["composer -d /elsewhere install", "network project write deviation"],
    ["composer show", "network project"],
    ["composer run-script test", "project"],
    ["composer test", "project"],
    ["composer req evil/x", "project"],
    ["composer exec evil", "execute network project write unknown"],
    ["composer global require evil", "execute network project write unknown"],
    ["phpunit test", "project"],
    ["phpunit --filter x -c /elsewhere/phpunit.xml", "project deviation"],
    ["phpunit --bootstrap evil.php", "execute project deviation"],
    ["phpunit --coverage-html out", "project write"],
    ["phpunit --boot evil.php", "project unknown"],
    ["phpstan analyse", "execute project unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("covers a command of composer only by its own words", () => {
    expect(widened("composer req evil/x")).toBe("composer req evil/x");
    expect(widened("composer run-script test -v")).toBe("composer run-script test");
    expect(widened("php artisan migrate")).toBe("php artisan");
    expect(widened("php -l src/a.php")).toBe("php -l");
    expect(pathsOf("php src/a.php /elsewhere/x")).toEqual(["read src/a.php", "read /elsewhere/x"]);
  });
});
